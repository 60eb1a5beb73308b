import type { Delivery } from '../dispatch/consumer.js';
import type { Holding } from './effects.js';

/** A lease of an earlier stream. */
export type AdoptedLease = Pick<Holding, 'queue' | 'queueKey' | 'jobId' | 'token' | 'lockMs'>;

/** A job that its worker has brought along, begun. */
export function adoptedHolding(lease: AdoptedLease, now: number): Holding {
  const begun = { accepted: true, running: true, reporting: false, outlived: false };
  return { ...lease, ...begun, waiting: [], bytes: 0, deliveredAt: now };
}

/** A job that is delivered now, in one piece: this is made for every job. */
export function holdingOf(
  queueKey: string,
  { job, bytes, jobId, token, lockMs, guard, buffered, takenAt, unbegunRun }: Delivery,
  now: number,
): Holding {
  return {
    queue: job.lease?.queue ?? '',
    queueKey,
    jobId,
    token,
    bytes,
    lockMs,
    guard,
    keepLogs: job.options?.keepLogs,
    deliveredAt: now,
    takenAt,
    unbegunRun,
    buffered,
    accepted: false,
    running: false,
    reporting: false,
    waiting: [],
    outlived: false,
  };
}
