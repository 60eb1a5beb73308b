import { extendLock as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';
import type { LeaseRenewal } from './extendLocks.js';

/**
 * Renews the lock of one job for its owner.
 *
 * @throws TransitionRejected LOCK_LOST, LOCK_NOT_OWNED.
 */
export async function extendLock(
  store: Store,
  queue: QueueKeys,
  lease: LeaseRenewal,
): Promise<void> {
  const { id: jobId, token, lockDuration } = lease;
  const keys = { job: queue.job(jobId), stalled: queue.stalled };
  const reply = await store.run(script, keys, { token, lockDuration, jobId });
  accepted(script, reply, { queue, jobId });
}
