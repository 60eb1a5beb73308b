import { repairJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** What can be wrong with one id. */
export type JobFault =
  /** In more than one place, or more than once in one. */
  | 'two-places'
  /** In a place, and there is no job. */
  | 'ghost'
  /** An entry of an old version in a list, which is no id. */
  | 'marker-entry'
  /** A job in no place. */
  | 'orphan'
  /** A lock, and the job is not active. */
  | 'stray-lock'
  /** Active without a lock: marked for the next stalled sweep. */
  | 'unleased';

/**
 * Mends what is wrong with an id, if it still is when the script looks. A job that a lock holds stays active; one that
 * has ended stays ended; any other stays, or is put, where it runs soonest.
 *
 * @param seen for `unleased`: when the run began that was seen without a lock; another run is left alone
 * @returns what was done, in a word or two; empty when nothing is wrong any more
 */
export async function repairJob(
  store: Store,
  queue: QueueKeys,
  {
    id,
    fault,
    seen = '',
  }: { readonly id: string; readonly fault: JobFault; readonly seen?: string },
  now: number | '' = '',
): Promise<string> {
  const args = { prefix: queue.base, id, fault, seen, now };
  return String(await store.run(script, { meta: queue.meta }, args));
}
