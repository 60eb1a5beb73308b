import { moveToDelayed as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import {
  accepted,
  type FetchingWorker,
  type FinishOutcome,
  finishOutcome,
  rows,
} from '../outcomes.js';
import type { Ending } from '../receipts.js';
import type { Store } from '../store.js';

/** A job that its worker puts off. */
export interface Delay extends Ending {
  readonly jobId: string;
  readonly token: string;
  /** For so many ms, or until an instant (ms since the epoch). */
  readonly until: { readonly delayMs: number } | { readonly dueAt: number };
  /** Do not count the run as an attempt. */
  readonly skipAttempt: boolean;
  /** Take the next job in the same step. */
  readonly fetchNext?: FetchingWorker;
}

/**
 * Moves an active job to `delayed`; one that is to be cancelled fails for good.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE, REQUEST_ID_REUSED.
 */
export async function moveToDelayed(
  store: Store,
  queue: QueueKeys,
  delay: Delay,
  now: number | '' = '',
): Promise<FinishOutcome> {
  const { jobId, token, until, progress, logs, receipt, maxMetricsSize } = delay;
  const keys = { ...queue, job: queue.job(jobId) };
  const reply = await store.run(script, keys, {
    prefix: queue.base,
    now,
    jobId,
    token,
    delay: 'delayMs' in until ? until.delayMs : 0,
    dueAt: 'dueAt' in until ? until.dueAt : '',
    skipAttempt: delay.skipAttempt,
    fetchNextJob: delay.fetchNext !== undefined,
    worker: delay.fetchNext ?? { ...(maxMetricsSize === undefined ? {} : { maxMetricsSize }) },
    ending: { progress, logs, receipt },
  });
  return finishOutcome(script, rows(script, accepted(script, reply, { queue, jobId })));
}
