import type { Dispatcher } from '../dispatch/dispatcher.js';
import { withExistingKeys } from '../dispatch/existing-keys.js';
import { logFailure } from '../dispatch/log-failure.js';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
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

  /** Queues that have schedules. */
  async #scheduled(): Promise<NamedQueue[]> {
    const { store } = this.deps;
    const served = [...this.dispatcher.all()].map(({ queue }) => queue);
    if (!store.redis.ready) return [];
    return withExistingKeys(store, served, ({ keys }) => [keys.schedulers]).catch(() => []);
  }

  async #round(): Promise<void> {
    const { store, logger } = this.deps;
    for (const queue of await this.#scheduled()) {
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
