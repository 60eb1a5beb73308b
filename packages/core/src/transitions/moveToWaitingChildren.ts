import { moveToWaitingChildren as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, type FinishOutcome, finishOutcome } from '../outcomes.js';
import type { Ending } from '../receipts.js';
import type { Store } from '../store.js';

/** A parent that its worker parks until its children have ended. */
export interface AwaitChildren extends Ending {
  readonly jobId: string;
  readonly token: string;
  /** Only if this child (the key of its hash) is still pending. */
  readonly childKey?: string;
}

/**
 * Parks a parent. Returns false, and the job stays active, when no child is pending; with a receipt, and of a job
 * that failed because it was to be cancelled, what became of the job instead of true.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_HAS_FAILED_CHILDREN, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE,
 * REQUEST_ID_REUSED.
 */
export async function moveToWaitingChildren(
  store: Store,
  queue: QueueKeys,
  parent: AwaitChildren,
  now: number | '' = '',
): Promise<boolean | FinishOutcome> {
  const { jobId, token, progress, logs, receipt, maxMetricsSize } = parent;
  const keys = {
    active: queue.active,
    waitingChildren: queue.waitingChildren,
    job: queue.job(jobId),
    dependencies: queue.dependencies(jobId),
    unsuccessful: queue.failedChildren(jobId),
    stalled: queue.stalled,
    events: queue.events,
  };
  const reply = await store.run(script, keys, {
    token,
    childKey: parent.childKey ?? '',
    now,
    jobId,
    prefix: queue.base,
    ending: { progress, logs, receipt, maxMetricsSize },
  });
  const answer = accepted(script, reply, { queue, jobId });
  return Array.isArray(answer) ? finishOutcome(script, answer) : answer === 0;
}
