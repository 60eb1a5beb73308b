import { retryJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, type FinishOutcome, finishOutcome } from '../outcomes.js';
import type { Receipt } from '../receipts.js';
import type { Store } from '../store.js';

/** A failed run that is to be tried again at once, whatever the job's options say. */
export interface Retry {
  readonly jobId: string;
  readonly token: string;
  /** Plain text of the failure. */
  readonly reason: string;
  readonly receipt?: Receipt;
  /** Minutes of metrics to keep should the job fail for good: somebody asked to cancel it. None by default. */
  readonly maxMetricsSize?: number;
}

/**
 * Gives a failed job back at once and counts the attempt. Returns where it waits, `failed` for one that was to be
 * cancelled; with a receipt what became of it.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE, REQUEST_ID_REUSED.
 */
export async function retryJob(
  store: Store,
  queue: QueueKeys,
  retry: Retry,
  now: number | '' = '',
): Promise<'waiting' | 'prioritized' | 'failed' | FinishOutcome> {
  const { jobId, token, reason, receipt, maxMetricsSize } = retry;
  const keys = { ...queue, job: queue.job(jobId) };
  const args = {
    prefix: queue.base,
    now,
    jobId,
    token,
    reason,
    fields: [],
    more: { receipt, maxMetricsSize },
  };
  const reply = accepted(script, await store.run(script, keys, args), { queue, jobId });
  if (Array.isArray(reply)) return finishOutcome(script, reply);
  return String(reply) as 'waiting' | 'prioritized' | 'failed';
}
