import type { StoredJob } from '@echomq/core';
import { type DeliveredJob, type JobOptions, msToDuration } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';
import { CorruptJob } from './corrupt-job.js';
import { decodeOptions } from './job-options.js';
import { parentRef } from './parent-ref.js';
import { storedCount, storedInstant } from './stored-numbers.js';

const NOTHING = Buffer.alloc(0);

/** Options up to so many bytes are compared with those of the job before: a queue's jobs often have the same. */
const MEMO_BYTES = 1_024;
let last: { readonly text: Buffer; readonly options: JobOptions } | undefined;

/** Nobody changes a delivered job's options: jobs with the same text share them. */
function optionsOf(text: Buffer): JobOptions | undefined {
  if (last?.text.equals(text)) return last.options;
  const options = decodeOptions(text);
  if (options && text.length <= MEMO_BYTES) last = { text: Buffer.from(text), options };
  return options;
}

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
  const options = optionsOf(job.opts);
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
