import { getJob as script } from '@echomq/lua';
import { StoreUnavailable } from '../errors.js';
import { jobFromFlat, jobFromValues, type StoredJob, SUMMARY_FIELDS } from '../job-fields.js';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';
import type { JobState } from './getState.js';

/** A job and where it stands. */
export interface JobInState {
  readonly job: StoredJob;
  readonly state: JobState;
}

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

/**
 * Reads a job and where it stands at one instant, so that a completed job has its result. With `summary` without its
 * bodies. `undefined` when there is none.
 */
export async function getJobInState(
  store: Store,
  queue: QueueKeys,
  jobId: string,
  summary = false,
): Promise<JobInState | undefined> {
  const fields = summary ? SUMMARY_FIELDS : [];
  const keys = { ...queue, job: queue.job(jobId) };
  const [state, reply] = rows(script, await store.run(script, keys, { jobId, fields }));
  const values = rows(script, reply);
  if (values.every((value) => value === null)) return undefined;
  const job = summary ? jobFromValues(jobId, fields, values) : jobFromFlat(jobId, values);
  return { job, state: String(state) as JobState };
}
