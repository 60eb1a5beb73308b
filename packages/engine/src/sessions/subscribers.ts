import type { Delivery } from '../dispatch/consumer.js';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import { Subscriber } from './subscriber.js';
import type { SubscriptionTerms } from './terms.js';
import type { Windows } from './windows.js';

/** What the subscriptions of a stream need of it. */
export interface SubscribersPorts {
  readonly windows: Windows;
  /** Whether the session takes jobs and the link has room. */
  readonly takesJobs: () => boolean;
  /** How many jobs of a queue may wait at the worker for a slot. */
  readonly spare: (queueKey: string) => number;
  /** A queue's next job is taken for a free slot only. */
  readonly unbuffered: () => void;
  /** Hands a job to the session; false when it does not fit. */
  readonly deliver: (queueKey: string, delivery: Delivery) => boolean;
  /** Asks for so many jobs of a queue back that have not begun; how many are asked for now. */
  readonly recall: (queueKey: string, count: number) => number;
}

/** The subscriptions of a stream, by the keys of their queues. */
export class Subscribers extends Map<string, Subscriber> {
  constructor(
    private readonly ports: SubscribersPorts,
    private readonly deps: Pick<WorkerDeps, 'buffers' | 'dispatcher'>,
  ) {
    super();
  }

  /** Takes jobs of a queue from now on. */
  subscribe({ queue, size, weight, fetch }: SubscriptionTerms): void {
    const { ports, deps } = this;
    const key = queue.keys.base;
    ports.windows.subscribe(key, size, weight);
    const subscriber = new Subscriber(key, deps.dispatcher.of(queue), fetch, {
      ...ports,
      // A worker that limits its rate takes no job before it may start it.
      spare: () => (fetch.limiter ? 0 : ports.spare(key)),
      deliver: (delivery) => ports.deliver(key, delivery),
      recall: (count) => ports.recall(key, count),
      starved: () => deps.buffers.starved(key, subscriber),
      turnMoved: () => this.#turnMoved(key),
    });
    this.set(key, subscriber);
    subscriber.dispatch.hold(this);
    deps.buffers.enter(key, subscriber);
  }

  /** Whether jobs of a queue may wait at the worker for a slot, as far as the queue and the others go. */
  mayWait(key: string): boolean {
    const subscriber = this.get(key);
    if (!subscriber || subscriber.terms.limiter) return false;
    const { dispatch } = subscriber;
    return dispatch.limitedForMs === 0 && this.deps.buffers.mayWait(dispatch.queue, subscriber);
  }

  /** Slots may be free: of this queue, or of any. */
  demand(key?: string): void {
    if (key === undefined) for (const each of this.values()) each.demand();
    else this.get(key)?.demand();
  }

  /** Wants nothing any more. */
  leaveLines(): void {
    for (const subscriber of this.values()) subscriber.dispatch.leave(subscriber);
  }

  /** The stream is over. */
  close(): void {
    this.leaveLines();
    for (const [key, subscriber] of this) {
      subscriber.dispatch.letGo(this);
      this.deps.buffers.leave(key, subscriber);
    }
  }

  #turnMoved(key: string): void {
    const { windows, spare } = this.ports;
    const turn = windows.turn(windows.isBeyond() ? spare(key) : 0);
    if (turn !== undefined && turn !== key) this.get(turn)?.demand();
  }
}
