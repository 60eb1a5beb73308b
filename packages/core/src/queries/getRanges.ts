import { getRanges as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';
import type { JobState } from './getState.js';

/** Ids `first` to `last` (inclusive, from 0; `last` -1 means all) of one location. */
export interface Range {
  readonly state: Exclude<JobState, 'unknown'>;
  readonly first: number;
  readonly last: number;
  /** Newest first instead of oldest first. For `prioritized` and `delayed`: last to run first. */
  readonly newestFirst?: boolean;
}

/**
 * The ids of a range of one location. `waiting` has also what a BullMQ 5 peer has parked of a paused queue: those run
 * first.
 */
export async function getRanges(store: Store, queue: QueueKeys, range: Range): Promise<string[]> {
  const reply = await store.run(
    script,
    { location: locationKey(queue, range.state) },
    { first: range.first, last: range.last, newestFirst: range.newestFirst ?? false },
  );
  return rows(script, reply).map(String);
}

/** The key of the location that a state names. */
export function locationKey(queue: QueueKeys, state: Range['state']): string {
  if (state === 'waiting') return queue.wait;
  return state === 'waiting-children' ? queue.waitingChildren : queue[state];
}
