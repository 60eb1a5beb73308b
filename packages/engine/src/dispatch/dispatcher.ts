import type { QueueKeys, RedisClient } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { StoreTime } from '../wakeups/store-time.js';
import type { Wakeups } from '../wakeups/wakeups.js';
import { BackingPoll } from './backing-poll.js';
import type { DispatchPorts } from './dispatch-ports.js';
import { FreedSlots } from './freed-slots.js';
import { QueueDispatch } from './queue-dispatch.js';
import { QueueLane } from './queue-lane.js';

/** The store's clock is asked for this often, ms: one that is slewed by 500 ppm goes 5 ms wrong meanwhile. */
const TIME_MS = 10_000;
/** A queue that nobody has used for so long is forgotten, ms. */
const FORGET_MS = 600_000;
/** Beyond so many queues those are forgotten at once that nobody uses now. */
const MAX_QUEUES = 10_000;

/** What a dispatcher works with. */
export interface DispatcherPorts extends Pick<DispatchPorts, 'beforeDelivery'> {
  readonly deps: EngineDeps;
  readonly redis: RedisClient;
  readonly wakeups: Wakeups;
}

/** The dispatches of all queues that were served since the start. */
export class Dispatcher {
  readonly #queues = new Map<string, QueueDispatch>();
  readonly #time: StoreTime;
  readonly #poll: BackingPoll;
  readonly #slots: FreedSlots;
  #clock: unknown;
  #stopReady: (() => void) | undefined;
  #closed = false;
  #ended: Promise<void> | undefined;

  constructor(private readonly ports: DispatcherPorts) {
    this.#time = new StoreTime(ports.redis, ports.deps.clock);
    this.#poll = new BackingPoll(ports.deps, () => this.#queues.values());
    const { store, logger, clock } = ports.deps;
    this.#slots = new FreedSlots({ redis: ports.redis, store, logger }, clock);
  }

  /** Begins to look after the queues. */
  start(): void {
    this.#stopReady = this.ports.redis.onReadyChange((ready) => {
      if (ready) this.#resume();
    });
    if (this.ports.redis.ready) this.#resume();
    this.#poll.start();
    this.#sampleLater();
  }

  /** The dispatch of a queue. */
  of(queue: NamedQueue): QueueDispatch {
    const { base } = queue.keys;
    let dispatch = this.#queues.get(base);
    if (!dispatch) {
      if (this.#queues.size >= MAX_QUEUES) this.#forget(0);
      dispatch = new QueueDispatch(queue, {
        deps: this.ports.deps,
        beforeDelivery: this.ports.beforeDelivery,
        redis: this.ports.redis,
        localTime: this.#time.local,
        watch: (which, watched) => this.ports.wakeups.watch(which, watched),
        awaitSlot: (which) => this.#slots.await(which),
      });
      this.#queues.set(base, dispatch);
      if (this.#closed) dispatch.close();
    }
    dispatch.usedAt = this.ports.deps.clock.now();
    return dispatch;
  }

  /** The way to a queue's transitions, without beginning to serve it. */
  laneOf(queue: NamedQueue): QueueLane {
    return this.#queues.get(queue.keys.base)?.lane ?? new QueueLane(this.ports.deps.store, queue);
  }

  /** A job for this queue is on its way to the store. */
  expect({ base }: QueueKeys): void {
    this.#queues.get(base)?.expect();
  }

  /** A queue's gate or limit has changed. */
  reconsider(queue: NamedQueue): void {
    this.#queues.get(queue.keys.base)?.reconsider();
  }

  /** Whether this queue is served. */
  serves(queue: NamedQueue): boolean {
    return this.#queues.has(queue.keys.base);
  }

  /** All of them. */
  all(): IterableIterator<QueueDispatch> {
    return this.#queues.values();
  }

  /** Fetches nothing more. */
  close(): void {
    this.#closed = true;
    this.#stopReady?.();
    this.#poll.close();
    this.#ended = this.#slots.close();
    this.ports.deps.clock.clearTimeout(this.#clock);
    for (const dispatch of this.#queues.values()) dispatch.close();
  }

  /** Resolves when what was under way has come back. */
  async settled(): Promise<void> {
    const settled = [...this.#queues.values()].map((dispatch) => dispatch.settled());
    await Promise.all([...settled, this.#ended]);
  }

  #resume(): void {
    void this.#time.sample();
    for (const dispatch of this.#queues.values()) dispatch.resume();
  }

  #sampleLater(): void {
    this.#clock = this.ports.deps.clock.setTimeout(() => {
      if (this.ports.redis.ready) void this.#time.sample();
      this.#forget(FORGET_MS);
      this.#sampleLater();
    }, TIME_MS);
  }

  /** Forgets the queues that nobody has used for so long. */
  #forget(unusedMs: number): void {
    const before = this.ports.deps.clock.now() - unusedMs;
    for (const [base, dispatch] of this.#queues) {
      if (dispatch.inUse || dispatch.usedAt > before) continue;
      dispatch.close();
      this.#queues.delete(base);
    }
  }
}
