import type { Clock } from '../ports.js';

/** Waits for the next due time of a queue. The earliest one that was noted counts. */
export class DueTimer {
  #handle: unknown;
  #dueAt: number | undefined;

  constructor(
    private readonly clock: Clock,
    /** This process's time for an instant of the store's clock, ms. */
    private readonly localTime: (storeMs: number) => number,
    private readonly onDue: () => void,
  ) {}

  /** When it fires, by the store's clock. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  /** Notes a due time; one that is noted already and comes earlier stays. */
  note(storeMs: number): void {
    if (this.#dueAt === undefined || storeMs < this.#dueAt) this.set(storeMs);
  }

  /** Takes this due time instead of the one that was noted; `undefined`: none. */
  set(storeMs: number | undefined): void {
    if (storeMs === this.#dueAt && this.#handle !== undefined) return;
    this.clock.clearTimeout(this.#handle);
    this.#handle = undefined;
    this.#dueAt = storeMs;
    if (storeMs !== undefined) this.#arm(storeMs);
  }

  #arm(storeMs: number): void {
    // Whole ms count in the store; a timer of 0 would spin where the clocks differ by a fraction.
    const leftMs = Math.max(1, Math.ceil(this.localTime(storeMs) - this.clock.now()));
    this.#handle = this.clock.setTimeout(() => {
      this.#handle = undefined;
      // A timer cannot hold every span: look again.
      if (this.localTime(storeMs) - this.clock.now() > 1) return this.#arm(storeMs);
      this.#dueAt = undefined;
      this.onDue();
    }, leftMs);
  }
}
