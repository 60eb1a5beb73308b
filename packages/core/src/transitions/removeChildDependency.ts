import { removeChildDependency as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/**
 * Cuts the tie between a child and its parent (`parentKey`: the key of its hash). Returns false when they were not
 * related.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, PARENT_JOB_NOT_FOUND.
 */
export async function removeChildDependency(
  store: Store,
  queue: QueueKeys,
  child: { readonly jobId: string; readonly parentKey: string },
): Promise<boolean> {
  const { jobId, parentKey } = child;
  const reply = await store.run(
    script,
    { job: queue.job(jobId) },
    { parentKey, prefix: queue.base },
  );
  return accepted(script, reply, { queue, jobId }) === 0;
}
