/** Something that ends at a time unless it is forgotten before. */
export interface Deadline {
  /** By `performance.now()`. */
  readonly at: number;
  late(): void;
}

/**
 * Watches over the deadlines of many calls with one timer per length: those of one length end in the order in which
 * they begin.
 */
export class Deadlines {
  readonly #lengths = new Map<number, Set<Deadline>>();
  readonly #timers = new Map<number, NodeJS.Timeout>();

  /** Watches over one that ends `ms` after its begin. */
  add(ms: number, deadline: Deadline): void {
    const known = this.#lengths.get(ms);
    const watched = known ?? new Set();
    if (!known) this.#lengths.set(ms, watched);
    watched.add(deadline);
    if (!this.#timers.has(ms)) this.#arm(ms, ms);
  }

  /** It has ended by itself. */
  forget(ms: number, deadline: Deadline): void {
    this.#lengths.get(ms)?.delete(deadline);
  }

  /** Ends the timers. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(ms: number, inMs: number): void {
    const timer = setTimeout(() => this.#look(ms), Math.min(inMs, MAX_TIMER_MS));
    // The link to the store keeps the process while a call is under way; the timer outlives its calls.
    timer.unref();
    this.#timers.set(ms, timer);
  }

  #look(ms: number): void {
    this.#timers.delete(ms);
    const watched = this.#lengths.get(ms);
    for (const deadline of watched ?? []) {
      const leftMs = deadline.at - performance.now();
      if (leftMs > 0) {
        this.#arm(ms, Math.ceil(leftMs));
        return;
      }
      watched?.delete(deadline);
      deadline.late();
    }
    this.#lengths.delete(ms);
  }
}

/** The longest span that a Node timer holds, ms. */
const MAX_TIMER_MS = 2_147_483_647;
