import { moveJobFromActiveToWait as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, type FinishOutcome, finishOutcome } from '../outcomes.js';
import type { Ending, ReplayGuard } from '../receipts.js';
import type { Store } from '../store.js';

/** A job that its worker gives back unrun. */
export interface Release extends Ending {
  readonly jobId: string;
  readonly token: string;
  /** To the back of the queue instead of the front (where it runs next). */
  readonly toBack?: boolean;
  /** Rate limits the whole queue for so many ms. */
  readonly limitMs?: number;
  /** Only if the answer that brought it was not given again since: else LOCK_NOT_OWNED. */
  readonly unlessReplayed?: ReplayGuard;
  /**
   * When this run began (`processedOn`), of one that no worker has begun: then it goes back also after its lock has
   * lapsed, and a stall that a sweep has counted meanwhile is taken back.
   */
  readonly unbegunRun?: string;
  /**
   * When the lock lapses unless somebody else has renewed it, ms since the epoch by the store's clock: then another server
   * has adopted the lease, and the answer is LOCK_NOT_OWNED.
   */
  readonly lapsesAt?: number;
}

/**
 * Gives an active job back; no attempt is counted. Returns the ms for which the queue is rate limited, or 0; with a
 * receipt, and of a job that failed because it was to be cancelled, what became of the job.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE, REQUEST_ID_REUSED.
 */
export async function moveJobFromActiveToWait(
  store: Store,
  queue: QueueKeys,
  release: Release,
): Promise<number | FinishOutcome> {
  const { jobId, token, progress, logs, receipt, unlessReplayed, maxMetricsSize } = release;
  const { unbegunRun, lapsesAt } = release;
  const reply = await store.run(script, queue, {
    jobId,
    token,
    prefix: queue.base,
    toBack: release.toBack ?? false,
    limitMs: release.limitMs ?? 0,
    ending: { progress, logs, receipt, unlessReplayed, maxMetricsSize, unbegunRun, lapsesAt },
  });
  const answer = accepted(script, reply, { queue, jobId });
  return Array.isArray(answer) ? finishOutcome(script, answer) : Number(answer);
}
