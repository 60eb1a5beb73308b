import { promote as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/**
 * Makes a delayed job ready now. Returns where it stands.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_NOT_IN_STATE.
 */
export async function promote(
  store: Store,
  queue: QueueKeys,
  jobId: string,
): Promise<'waiting' | 'prioritized'> {
  const reply = await store.run(script, queue, { prefix: queue.base, jobId });
  return String(accepted(script, reply, { queue, jobId })) === 'prioritized'
    ? 'prioritized'
    : 'waiting';
}
