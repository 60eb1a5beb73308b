import { updateProgress as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** Progress of a running job. */
export interface ProgressUpdate {
  readonly jobId: string;
  readonly token: string;
  /** JSON text. */
  readonly progress: string | Uint8Array;
}

/**
 * Stores progress for the owner of the lock.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED.
 */
export async function updateProgress(
  store: Store,
  queue: QueueKeys,
  update: ProgressUpdate,
): Promise<void> {
  const { jobId, token, progress } = update;
  const keys = { job: queue.job(jobId), events: queue.events, meta: queue.meta };
  const reply = await store.run(script, keys, { jobId, token, progress });
  accepted(script, reply, { queue, jobId });
}
