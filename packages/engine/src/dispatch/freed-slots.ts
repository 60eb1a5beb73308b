import { EventTail, type Following, type TailPorts } from '../events/event-tail.js';
import type { Clock } from '../ports.js';
import type { QueueDispatch } from './queue-dispatch.js';

/** Between two looks at a queue that waits for a slot, ms. */
const PACE_MS = 20;
/** A queue is listened to for so long after it last waited for a slot, ms. */
const LINGER_MS = 5_000;

/**
 * Finds the slots of a global concurrency that somebody frees without a word. A BullMQ worker that ends a run and takes
 * nothing more writes no marker; but it tells of the end in the queue's events. So while as many jobs run as may, the
 * events are listened to, on one connection for all such queues (in a cluster one each).
 */
export class FreedSlots {
  readonly #tail: EventTail;
  readonly #queues = new Map<QueueDispatch, { following?: Following; timer?: unknown }>();
  #closed = false;

  constructor(
    ports: Omit<TailPorts, 'paceMs'>,
    private readonly clock: Clock,
  ) {
    this.#tail = new EventTail({ ...ports, paceMs: PACE_MS });
  }

  /** A fetch found that as many jobs of this queue run as may. */
  await(queue: QueueDispatch): void {
    if (this.#closed || this.#queues.has(queue)) return;
    const entry: { following?: Following; timer?: unknown } = {};
    this.#queues.set(queue, entry);
    const wake = () => {
      if (queue.maxed) queue.wake();
    };
    this.#tail.follow(queue.queue.keys.events, wake).then(
      (following) => {
        entry.following = following;
        if (this.#queues.get(queue) !== entry) return following.stop();
        this.#linger(queue);
        // The slot may have become free before anybody listened.
        wake();
      },
      // The store is away; the next fetch asks again.
      () => this.#queues.delete(queue),
    );
  }

  /** Listens to nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const queue of [...this.#queues.keys()]) this.#forget(queue);
    await this.#tail.close();
  }

  #linger(queue: QueueDispatch): void {
    const entry = this.#queues.get(queue);
    if (!entry) return;
    entry.timer = this.clock.setTimeout(() => {
      if (queue.maxed) this.#linger(queue);
      else this.#forget(queue);
    }, LINGER_MS);
  }

  #forget(queue: QueueDispatch): void {
    const entry = this.#queues.get(queue);
    this.#queues.delete(queue);
    this.clock.clearTimeout(entry?.timer);
    entry?.following?.stop();
  }
}
