import type { EngineDeps } from '../ports.js';
import { withExistingKeys } from './existing-keys.js';
import type { QueueDispatch } from './queue-dispatch.js';

/** Queues with somebody waiting are looked at this often whatever their markers say, ms. */
const POLL_MS = 1_000;

/**
 * What backs the markers: a worker that died with a popped marker, a job that a foreign hand put there, a wake-up that
 * was lost. A look at idle queues costs two commands in all, and nothing is fetched where nothing waits.
 */
export class BackingPoll {
  #timer: unknown;
  #looking = false;

  constructor(
    private readonly deps: EngineDeps,
    private readonly queues: () => Iterable<QueueDispatch>,
  ) {}

  start(): void {
    this.#timer = this.deps.clock.setTimeout(() => {
      this.start();
      void this.#look();
    }, POLL_MS);
  }

  close(): void {
    this.deps.clock.clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#looking || !this.deps.store.redis.ready) return;
    const before = this.deps.clock.now() - POLL_MS * 0.95;
    const quiet = [...this.queues()].filter(
      (queue) => queue.lastFetchAt <= before && queue.hasDemand,
    );
    for (const queue of quiet) if (!queue.idle) queue.wake();
    const idle = quiet.filter((queue) => queue.idle);
    if (idle.length === 0) return;
    this.#looking = true;
    try {
      await Promise.all([this.#wakeReady(idle), this.#noteDue(idle)]);
    } catch {
      // The store is away; it is looked at again when it is back.
    } finally {
      this.#looking = false;
    }
  }

  async #wakeReady(idle: readonly QueueDispatch[]): Promise<void> {
    const ready = await withExistingKeys(this.deps.store, idle, ({ queue }) => {
      return [queue.keys.wait, queue.keys.prioritized];
    });
    for (const queue of ready) queue.wake();
  }

  async #noteDue(idle: readonly QueueDispatch[]): Promise<void> {
    const { store } = this.deps;
    const delayed = await withExistingKeys(store, idle, ({ queue }) => [queue.keys.delayed]);
    await Promise.all(
      delayed.map(async (dispatch) => {
        const key = dispatch.queue.keys.delayed;
        const first = await store.command('ZRANGE', [key, 0, 0, 'WITHSCORES']);
        const score = Array.isArray(first) ? Number(first[1]) : Number.NaN;
        // The due time in ms is all of the score but its last 12 bits.
        if (Number.isFinite(score)) dispatch.noteDue(Math.floor(score / 4_096));
      }),
    );
  }
}
