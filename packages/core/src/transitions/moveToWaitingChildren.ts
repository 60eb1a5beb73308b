import { moveToWaitingChildren as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A parent that its worker parks until its children have ended. */
export interface AwaitChildren {
  readonly jobId: string;
  readonly token: string;
  /** Only if this child (the key of its hash) is still pending. */
  readonly childKey?: string;
}

/**
 * Parks a parent. Returns false, and the job stays active, when no child is pending.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_HAS_FAILED_CHILDREN, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE.
 */
export async function moveToWaitingChildren(
  store: Store,
  queue: QueueKeys,
  parent: AwaitChildren,
  now: number | '' = '',
): Promise<boolean> {
  const { jobId, token } = parent;
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
  });
  return accepted(script, reply, { queue, jobId }) === 0;
}
