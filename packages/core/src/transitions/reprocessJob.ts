import { reprocessJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A finished job that is to run again. */
export interface Reprocess {
  readonly jobId: string;
  /** The finished set that it must stand in. */
  readonly state: 'completed' | 'failed';
  /** Give it its whole budget of attempts again. */
  readonly resetAttempts?: boolean;
}

/**
 * Runs a finished job again. Returns where it stands.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_NOT_IN_STATE.
 */
export async function reprocessJob(
  store: Store,
  queue: QueueKeys,
  again: Reprocess,
): Promise<'waiting' | 'prioritized'> {
  const { jobId, state } = again;
  const keys = {
    ...queue,
    job: queue.job(jobId),
    finished: state === 'completed' ? queue.completed : queue.failed,
  };
  const args = { jobId, state, resetAttempts: again.resetAttempts ?? false };
  const reply = await store.run(script, keys, args);
  return String(accepted(script, reply, { queue, jobId })) === 'prioritized'
    ? 'prioritized'
    : 'waiting';
}
