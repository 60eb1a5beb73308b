import { cleanJobsInSet } from '@echomq/core';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import { withExistingKeys } from '../dispatch/existing-keys.js';
import { logFailure } from '../dispatch/log-failure.js';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { storeTime } from '../scheduling/next-run.js';

/** Finished jobs are looked at this often, ms. */
const EXPIRE_MS = 10_000;
/** Jobs of one script, about 1 ms of Redis, and scripts of one look at a set. */
const PAGE = 500;
const MAX_PAGES = 5;
const ENDS = ['completed', 'failed'] as const;

/**
 * Removes finished jobs that are past the age of their own options, whether or not others end: an end trims its own set
 * alone, and only when there is one. A look walks on where the last one stopped.
 */
export class Expirations {
  /** The rank at which the next look begins, by the set's key. */
  readonly #ranks = new Map<string, number>();
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
    }, EXPIRE_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.deps.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  async #round(): Promise<void> {
    const { store, logger } = this.deps;
    const served = [...this.dispatcher.all()].map(({ queue }) => queue);
    if (!store.redis.ready || served.length === 0) return;
    const ended = await withExistingKeys(store, served, ({ keys }) => [
      keys.completed,
      keys.failed,
    ]).catch(() => []);
    const before = new Map(this.#ranks);
    this.#ranks.clear();
    for (const queue of ended) {
      if (this.#closed || !store.redis.ready) return;
      try {
        for (const end of ENDS) await this.#look(queue, end, before);
      } catch (error) {
        logFailure(logger, 'retention.failed', error, { queue: queue.name });
      }
    }
  }

  async #look(
    { keys }: NamedQueue,
    end: (typeof ENDS)[number],
    before: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { store } = this.deps;
    const kept = Number(await store.command('ZCARD', [keys[end]]));
    let rank = before.get(keys[end]) ?? 0;
    if (rank >= kept) rank = 0;
    const olderThan = kept > 0 ? await storeTime(store) : 0;
    let left = kept;
    for (let page = 0; page < MAX_PAGES && rank < left; page++) {
      const clean = { state: end, olderThan, limit: PAGE, expiredFrom: rank };
      const { length: removed } = await cleanJobsInSet(store, keys, clean);
      left -= removed;
      rank += PAGE - removed;
    }
    this.#ranks.set(keys[end], rank);
  }
}
