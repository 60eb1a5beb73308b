import type { Dispatcher } from '../dispatch/dispatcher.js';
import { logFailure } from '../dispatch/log-failure.js';
import type { EngineDeps } from '../ports.js';
import { repairSchedulers } from '../scheduling/repair-schedulers.js';

/** Schedules are looked at this often, ms. */
const REPAIR_MS = 5_000;

/** Makes the next runs that a crash or a removal has left out, for the queues that were served. */
export class SchedulerRepairs {
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly deps: EngineDeps,
    private readonly dispatcher: Dispatcher,
  ) {}

  start(): void {
    this.#timer = this.deps.clock.setTimeout(() => {
      this.#running = this.#round().finally(() => {
        if (!this.#closed) this.start();
      });
    }, REPAIR_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.deps.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  async #round(): Promise<void> {
    const { store, logger } = this.deps;
    for (const { queue } of [...this.dispatcher.all()]) {
      if (this.#closed || !store.redis.ready) return;
      try {
        const mended = await repairSchedulers(store, queue.keys);
        if (mended.length > 0) logger.warn('scheduler.mended', { queue: queue.name, ids: mended });
      } catch (error) {
        logFailure(logger, 'scheduler.notMended', error, { queue: queue.name });
      }
    }
  }
}
