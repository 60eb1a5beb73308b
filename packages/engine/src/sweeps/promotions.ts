import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { EngineDeps } from '../ports.js';

/** A queue that nobody takes from is looked at this often, ms. Known due times have timers of their own. */
const PROMOTE_MS = 5_000;

/** Moves due jobs of queues that were served and from which nobody takes now, so that their counts are right. */
export class Promotions {
  #timer: unknown;

  constructor(
    private readonly deps: EngineDeps,
    private readonly dispatcher: Dispatcher,
  ) {}

  start(): void {
    this.#timer = this.deps.clock.setTimeout(() => {
      this.start();
      if (!this.deps.store.redis.ready) return;
      for (const dispatch of this.dispatcher.all()) {
        // A fetch promotes by itself.
        const quiet = this.deps.clock.now() - dispatch.lastFetchAt >= PROMOTE_MS;
        if (quiet && !dispatch.hasDemand) void dispatch.promote();
      }
    }, PROMOTE_MS);
  }

  close(): void {
    this.deps.clock.clearTimeout(this.#timer);
  }
}
