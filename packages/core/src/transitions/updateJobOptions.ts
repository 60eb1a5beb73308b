import { updateJobOptions as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** New options for a job. Texts are JSON; they are stored as they are. */
export interface OptionsUpdate {
  readonly jobId: string;
  readonly opts: string | Uint8Array;
  /** The options that stood when the new ones were made; absent: none. */
  readonly readOpts?: Uint8Array;
  /** What the job says of its parent, with the policy, where that changes too. */
  readonly parent?: string;
  /** What it said when the new options were made; absent: nothing. */
  readonly readParent?: Uint8Array;
}

/**
 * Replaces the options of a job that has not finished. Returns false, with nothing written, when somebody else has
 * changed them since they were read.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_NOT_IN_STATE.
 */
export async function updateJobOptions(
  store: Store,
  queue: QueueKeys,
  { jobId, ...change }: OptionsUpdate,
): Promise<boolean> {
  const keys = { ...queue, job: queue.job(jobId) };
  const reply = await store.run(script, keys, { jobId, change });
  return accepted(script, reply, { queue, jobId }) === 1;
}
