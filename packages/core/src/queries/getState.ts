import { getState as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** Where a job stands, as users see it. */
export type JobState =
  | 'waiting'
  | 'active'
  | 'delayed'
  | 'prioritized'
  | 'waiting-children'
  | 'completed'
  | 'failed'
  | 'unknown';

/** Where a job stands; `unknown` when in no location. */
export async function getState(store: Store, queue: QueueKeys, jobId: string): Promise<JobState> {
  return String(await store.run(script, queue, { jobId })) as JobState;
}
