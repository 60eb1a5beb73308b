const LOOK_MS = 50;

/** Until when leases surely live, by this process's own clock: a lock's life after the last heartbeat that was answered. */
export class OwnClock {
  readonly #sentAt = new Map<number, number>();
  #lockMs = Number.POSITIVE_INFINITY;
  #keptAt = 0;

  /** A stream is open, on which locks live for so many ms; what it has not rejected was kept. */
  opened(lockMs: number): void {
    this.#lockMs = lockMs;
    this.#keptAt = performance.now();
    this.#sentAt.clear();
  }

  /** A heartbeat leaves. */
  sent(seq: number): void {
    this.#sentAt.set(seq, performance.now());
  }

  /** A heartbeat was answered. */
  answered(seq: number): void {
    this.#keptAt = Math.max(this.#keptAt, this.#sentAt.get(seq) ?? 0);
    this.#sentAt.delete(seq);
  }

  /** Whether somebody else may have what was delivered then. */
  mayBeOver(deliveredAt: number): boolean {
    return performance.now() - Math.max(this.#keptAt, deliveredAt) >= this.#lockMs;
  }

  /** Calls now and then. */
  watch(look: () => void): void {
    setInterval(look, LOOK_MS).unref();
  }
}
