import { moveJobFromActiveToWait as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A job that its worker gives back unrun. */
export interface Release {
  readonly jobId: string;
  readonly token: string;
  /** To the back of the queue instead of the front (where it runs next). */
  readonly toBack?: boolean;
  /** Rate limits the whole queue for so many ms. */
  readonly limitMs?: number;
}

/**
 * Gives an active job back; no attempt is counted. Returns the ms for which the queue is rate limited, or 0.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, JOB_NOT_IN_STATE.
 */
export async function moveJobFromActiveToWait(
  store: Store,
  queue: QueueKeys,
  release: Release,
): Promise<number> {
  const { jobId, token } = release;
  const reply = await store.run(script, queue, {
    jobId,
    token,
    prefix: queue.base,
    toBack: release.toBack ?? false,
    limitMs: release.limitMs ?? 0,
  });
  return Number(accepted(script, reply, { queue, jobId }));
}
