import { removeUnprocessedChildren as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/**
 * Removes the children of a job that have not ended, with their descendants; running ones stay. Returns how many.
 *
 * @throws TransitionRejected JOB_NOT_FOUND.
 */
export async function removeUnprocessedChildren(
  store: Store,
  queue: QueueKeys,
  jobId: string,
): Promise<number> {
  const reply = await store.run(script, { job: queue.job(jobId) }, { prefix: queue.base });
  return Number(accepted(script, reply, { queue, jobId }));
}
