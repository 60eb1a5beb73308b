import { updateData as script } from '@echomq/lua';
import { type JobWriter, writerArgs } from '../job-writer.js';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** New data of a job, and who writes it. */
export type DataUpdate = JobWriter & {
  readonly jobId: string;
  /** JSON text. */
  readonly data: string | Uint8Array;
};

/**
 * Replaces a job's data: a running one's for the owner of its lock, any one's for `anyone`. One that is gone stays so.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED.
 */
export async function updateData(
  store: Store,
  queue: QueueKeys,
  update: DataUpdate,
): Promise<void> {
  const { jobId, data } = update;
  const reply = await store.run(script, { job: queue.job(jobId) }, { data, ...writerArgs(update) });
  accepted(script, reply, { queue, jobId });
}
