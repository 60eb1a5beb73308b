/** Runs and round trips that are looked at, the last ones. */
const RECENT = 8;
/** A round trip says nothing any more after so long, ms: the way may have changed. */
const FRESH_MS = 10_000;

/**
 * How fast a worker is, as its stream tells: how long its handlers run, and how long a message takes to it and back.
 * Only where the handlers are the shorter ones does a slot stand empty while the next job is on its way.
 */
export class Pace {
  #runs: number[] = [];
  #trips: { readonly ms: number; readonly at: number }[] = [];

  /** A handler has run for so many ms. */
  ran(ms: number): void {
    this.#runs = [...this.#runs, ms].slice(-RECENT);
  }

  /** A delivery was answered so many ms after it was sent. */
  answered(ms: number, now: number): void {
    this.#trips = [...this.#trips, { ms, at: now }].slice(-RECENT);
  }

  /** A job waits for a handler that runs long: those before it say nothing any more. */
  slowed(): void {
    this.#runs = [];
  }

  /**
   * Jobs beyond its slots that a worker may hold: what it finishes in one round trip, at most as many as it has slots;
   * none unless all its recent handlers were shorter than that.
   */
  spare(slots: number, now: number): number {
    if (this.#runs.length < RECENT) return 0;
    const trips = this.#trips.filter(({ at }) => now - at < FRESH_MS).map(({ ms }) => ms);
    const longest = Math.max(...this.#runs);
    // Of none it is the infinite one.
    const shortest = Math.min(...trips);
    if (trips.length === 0 || longest >= shortest) return 0;
    return Math.min(slots, Math.floor((slots * shortest) / Math.max(longest, 0.1)));
  }
}
