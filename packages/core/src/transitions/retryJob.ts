import { retryJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A failed run that is to be tried again at once, whatever the job's options say. */
export interface Retry {
  readonly jobId: string;
  readonly token: string;
  /** Plain text of the failure. */
  readonly reason: string;
}

/**
 * Gives a failed job back at once and counts the attempt.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE.
 */
export async function retryJob(
  store: Store,
  queue: QueueKeys,
  retry: Retry,
  now: number | '' = '',
): Promise<'waiting' | 'prioritized'> {
  const { jobId, token, reason } = retry;
  const keys = { ...queue, job: queue.job(jobId) };
  const args = { prefix: queue.base, now, jobId, token, reason, fields: [] };
  const reply = accepted(script, await store.run(script, keys, args), { queue, jobId });
  return String(reply) === 'prioritized' ? 'prioritized' : 'waiting';
}
