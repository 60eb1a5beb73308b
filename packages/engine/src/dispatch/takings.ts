import type { FetchingWorker, FetchOutcome, ReplayGuard, StoredJob } from '@echomq/core';
import { waitMsOf } from '../observation/job-wait.js';
import type { EngineDeps } from '../ports.js';
import type { Delivery } from './consumer.js';
import { deliveryOf } from './deliveries.js';
import type { DispatchPorts } from './dispatch-ports.js';
import type { Returned } from './give-back.js';
import type { QueueLane } from './queue-lane.js';

/** Whom a job was taken for, as far as its delivery goes. */
export type Taker = Pick<FetchingWorker, 'token' | 'lockDuration' | 'receipt' | 'buffered'>;

/** How a job was taken. */
type Taken = Pick<Delivery, 'token' | 'lockMs' | 'guard' | 'buffered' | 'unbegunRun' | 'takenAt'>;

/** What the takings of a queue work with. */
export interface TakingPorts extends Pick<DispatchPorts, 'beforeDelivery'> {
  readonly lane: QueueLane;
  readonly deps: EngineDeps;
  readonly putBack: (job: Returned) => void;
}

/** Makes deliveries of the jobs that a queue's fetches and finishes have taken. */
export class Takings {
  /** What the last job weighed on the wire; absent before the first. */
  lastBytes: number | undefined;

  constructor(private readonly ports: TakingPorts) {}

  /**
   * A job was taken.
   *
   * @param askedAt when it was asked for, ms
   * @param guard the answer that it comes with, where that can be asked for again
   * @returns the delivery, or `undefined` when nobody may have it; at once, unless something comes before it.
   */
  delivery(
    { job, token: own }: Extract<FetchOutcome, { kind: 'job' }>,
    worker: Taker,
    askedAt: number,
    guard: ReplayGuard | undefined,
  ): Delivery | undefined | Promise<Delivery | undefined> {
    const { lane, deps } = this.ports;
    const { lockDuration: lockMs, buffered } = worker;
    const lease: { -readonly [K in keyof Taken]: Taken[K] } = {
      token: own ?? worker.token,
      lockMs,
      unbegunRun: String(job.processedOn ?? ''),
      takenAt: askedAt,
    };
    if (guard) lease.guard = guard;
    if (buffered) lease.buffered = buffered;
    if (deps.clock.now() - askedAt >= lockMs) {
      // The answer took so long that its lock has lapsed: nobody may begin on it.
      this.ports.putBack({ ...lease, jobId: job.id });
      return undefined;
    }
    // One with a token of its own had been taken by an earlier call of the same request.
    if (own === undefined) deps.observer?.jobStarted(lane.queue.name, lease.token, waitMsOf(job));
    const before = this.ports.beforeDelivery(lane.queue, job);
    return before ? this.#deliverAfter(before, job, lease) : this.#deliver(job, lease);
  }

  #deliver(job: StoredJob, lease: Taken): Delivery | undefined {
    const delivery = deliveryOf(this.ports.lane, job, lease, this.ports.deps);
    if (delivery) this.lastBytes = delivery.bytes;
    return delivery;
  }

  async #deliverAfter(
    before: Promise<boolean>,
    job: StoredJob,
    lease: Taken,
  ): Promise<Delivery | undefined> {
    if (await before) return this.#deliver(job, lease);
    this.ports.putBack({ ...lease, jobId: job.id });
    return undefined;
  }
}
