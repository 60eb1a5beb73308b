import { removeJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A job to remove. */
export interface Removal {
  readonly jobId: string;
  /** Remove it although a worker runs it; that worker then finds its lease lost. */
  readonly force?: boolean;
  /** Remove all its descendants too, whatever became of them. */
  readonly removeChildren?: boolean;
}

/**
 * Removes a job with all its keys. Returns the location that held it, `unknown` for a hash in none.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_LOCKED, JOB_BELONGS_TO_SCHEDULER.
 */
export async function removeJob(store: Store, queue: QueueKeys, removal: Removal): Promise<string> {
  const { jobId } = removal;
  const keys = { job: queue.job(jobId), schedulers: queue.schedulers };
  const args = {
    jobId,
    prefix: queue.base,
    force: removal.force ?? false,
    removeChildren: removal.removeChildren ?? false,
  };
  return String(accepted(script, await store.run(script, keys, args), { queue, jobId }));
}
