import { StoreUnavailable } from '../errors.js';
import { jobFromFlat, jobFromValues, type StoredJob, SUMMARY_FIELDS } from '../job-fields.js';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** Reads a job whole, or `undefined` when there is none. One HGETALL. */
export async function getJob(
  store: Store,
  queue: QueueKeys,
  jobId: string,
): Promise<StoredJob | undefined> {
  const reply = await store.command('HGETALL', [queue.job(jobId)]);
  return Array.isArray(reply) && reply.length > 0 ? jobFromFlat(jobId, reply) : undefined;
}

/** Reads a job without its bodies (data, result, progress, stacks). One HMGET. */
export async function getJobSummary(
  store: Store,
  queue: QueueKeys,
  jobId: string,
): Promise<StoredJob | undefined> {
  const reply = await store.command('HMGET', [queue.job(jobId), ...SUMMARY_FIELDS]);
  if (!Array.isArray(reply)) throw new StoreUnavailable('HMGET answered no array', false);
  return reply.every((value) => value === null)
    ? undefined
    : jobFromValues(jobId, SUMMARY_FIELDS, reply);
}
