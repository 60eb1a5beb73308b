/** Runs and round trips that are looked at, the last ones. */
const RECENT = 8;
/** A round trip says nothing any more after so long, ms: the way may have changed. */
const FRESH_MS = 10_000;
/** A worker that has lost a lease holds nothing beyond its slots for so long, ms. */
const REST_MS = 600_000;

/**
 * How fast a worker is, as its stream tells: how long its handlers run, and how long it takes from a report to the next
 * job: a message to the worker and back, and the store's part. Only where the handlers are shorter does a slot stand empty
 * while the next job is on its way.
 */
export class Pace {
  readonly #runs = new Recent();
  readonly #trips = new Recent();
  readonly #tripsAt = new Recent();
  readonly #stores = new Recent();
  #restsUntil = Number.NEGATIVE_INFINITY;

  /** A handler has run for so many ms. */
  ran(ms: number): void {
    this.#runs.add(ms);
  }

  /** A delivery was answered so many ms after it was sent. */
  answered(ms: number, now: number): void {
    this.#trips.add(ms);
    this.#tripsAt.add(now);
  }

  /** The store has taken a report in, so many ms after it came. */
  stored(ms: number): void {
    this.#stores.add(ms);
  }

  /** A job waits for a handler that runs long: those before it say nothing any more. */
  slowed(): void {
    this.#runs.forget();
  }

  /**
   * A lease has run out. A handler that lets nobody else work, the process's own timers included, may be why: nobody could
   * tell the store that a job that had waited has begun.
   */
  lost(now: number): void {
    this.#restsUntil = now + REST_MS;
  }

  /**
   * Jobs beyond its slots that a worker may hold: what it finishes in one round trip, at most as many as it has slots;
   * none unless all its recent handlers were shorter than that.
   */
  spare(slots: number, now: number): number {
    if (this.#runs.count < RECENT || now < this.#restsUntil) return 0;
    let shortest = Number.POSITIVE_INFINITY;
    for (let back = 0; back < this.#trips.count; back++) {
      const isFresh = now - this.#tripsAt.at(back) < FRESH_MS;
      if (isFresh) shortest = Math.min(shortest, this.#trips.at(back));
    }
    if (shortest === Number.POSITIVE_INFINITY) return 0;
    const trip = shortest + (this.#stores.count === 0 ? 0 : this.#stores.least());
    const longest = this.#runs.most();
    if (longest >= trip) return 0;
    return Math.min(slots, Math.floor((slots * trip) / Math.max(longest, 0.1)));
  }
}

/** The last few of a row of numbers. Made once: it is written to with every job. */
class Recent {
  readonly #values = new Float64Array(RECENT);
  #next = 0;
  count = 0;

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % RECENT;
    this.count = Math.min(this.count + 1, RECENT);
  }

  forget(): void {
    this.count = 0;
  }

  /** The last one at 0, the one before it at 1. */
  at(back: number): number {
    return this.#values[(this.#next - 1 - back + 2 * RECENT) % RECENT] ?? Number.NaN;
  }

  least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (let back = 0; back < this.count; back++) least = Math.min(least, this.at(back));
    return least;
  }

  most(): number {
    let most = Number.NEGATIVE_INFINITY;
    for (let back = 0; back < this.count; back++) most = Math.max(most, this.at(back));
    return most;
  }
}
