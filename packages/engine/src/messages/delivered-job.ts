import type { StoredJob } from '@echomq/core';
import { type DeliveredJob, msToDuration } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';
import { CorruptJob } from './corrupt-job.js';
import { decodeOptions } from './job-options.js';
import { parentRef } from './parent-ref.js';
import { storedCount, storedInstant } from './stored-numbers.js';

const NOTHING = Buffer.alloc(0);

/**
 * A job for the worker that has just got it. Payloads pass through as they are stored, JSON or not.
 *
 * @param lease its lock's token, and how long the lock lives in ms.
 * @throws CorruptJob when the job's options are no JSON object: nobody could say how to run it.
 */
export function deliveredJob(
  queue: NamedQueue,
  job: StoredJob,
  lease: { readonly token: string; readonly lockMs: number },
): DeliveredJob {
  const options = decodeOptions(job.opts);
  if (!options) throw new CorruptJob(job.id, 'its options are not a JSON object');
  return {
    lease: { queue: queue.name, jobId: job.id, leaseToken: lease.token },
    name: job.name,
    data: job.data,
    dataOmitted: false,
    dataSize: job.data.length,
    options,
    attempt: storedCount(job.attemptsMade + 1),
    attemptsStarted: storedCount(job.attemptsStarted),
    stalledCount: storedCount(job.stalledCount),
    createdAt: storedInstant(job.timestamp),
    priority: storedCount(job.priority),
    lockTtl: msToDuration(lease.lockMs),
    parent: parentRef(queue, job),
    schedulerId: job.schedulerId ?? '',
    headers: options.headers,
    lastProgress: job.progress ?? NOTHING,
    deduplicationId: job.deduplicationId ?? '',
  };
}
