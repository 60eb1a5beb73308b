import { cleanJobsInSet as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import { locationKey, type Range } from '../queries/getRanges.js';
import type { Store } from '../store.js';

/** Which jobs are to go. */
export interface Clean {
  readonly state: Range['state'];
  /** Finished (else last activated, else added) at this moment or before, ms since the epoch. */
  readonly olderThan: number;
  /** At most so many in this script, up to 10000. */
  readonly limit: number;
  /**
   * Of finished jobs, from this rank on, those that are past the age of their own options at `olderThan`: `limit` of them
   * are looked at, and nothing is announced, as when an end trims its set.
   */
  readonly expiredFrom?: number;
}

/** Removes old jobs of one location. Running ones and the next runs of schedulers stay. Returns the ids removed. */
export async function cleanJobsInSet(
  store: Store,
  queue: QueueKeys,
  clean: Clean,
): Promise<string[]> {
  const keys = {
    location: locationKey(queue, clean.state),
    events: queue.events,
    schedulers: queue.schedulers,
  };
  const { olderThan, limit, state, expiredFrom } = clean;
  const from = expiredFrom === undefined ? '' : String(expiredFrom);
  const reply = await store.run(script, keys, {
    prefix: queue.base,
    olderThan,
    limit,
    state,
    from,
  });
  return rows(script, reply).map(String);
}
