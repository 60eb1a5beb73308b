import { updateData as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** New data of a running job. */
export interface DataUpdate {
  readonly jobId: string;
  readonly token: string;
  /** JSON text. */
  readonly data: string | Uint8Array;
}

/**
 * Replaces a running job's data for the owner of the lock.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED.
 */
export async function updateData(
  store: Store,
  queue: QueueKeys,
  update: DataUpdate,
): Promise<void> {
  const { jobId, token, data } = update;
  const reply = await store.run(script, { job: queue.job(jobId) }, { token, data });
  accepted(script, reply, { queue, jobId });
}
