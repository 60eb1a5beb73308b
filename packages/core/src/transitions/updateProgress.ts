import { updateProgress as script } from '@echomq/lua';
import { type JobWriter, writerArgs } from '../job-writer.js';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** Progress of a job, and who tells it. */
export type ProgressUpdate = JobWriter & {
  readonly jobId: string;
  /** JSON text. */
  readonly progress: string | Uint8Array;
};

/**
 * Stores progress: of a running job for the owner of its lock, of any job for `anyone`. One that is gone stays so.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED.
 */
export async function updateProgress(
  store: Store,
  queue: QueueKeys,
  update: ProgressUpdate,
): Promise<void> {
  const { jobId, progress } = update;
  const keys = { job: queue.job(jobId), events: queue.events, meta: queue.meta };
  const reply = await store.run(script, keys, { jobId, progress, ...writerArgs(update) });
  accepted(script, reply, { queue, jobId });
}
