import { getCounts as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** How many jobs stand in each location. */
export interface JobCounts {
  /** Ready to run. Includes those that a BullMQ 5 peer parked in its `paused` list. */
  readonly waiting: number;
  readonly active: number;
  readonly prioritized: number;
  readonly delayed: number;
  readonly waitingChildren: number;
  readonly completed: number;
  readonly failed: number;
}

/**
 * Counts all locations at one instant. An unknown queue has zeros.
 *
 * @param dueBefore of the delayed jobs only those that are due before it, ms since the epoch; absent: all
 */
export async function getCounts(
  store: Store,
  queue: QueueKeys,
  dueBefore?: number,
): Promise<JobCounts> {
  const counts = rows(script, await store.run(script, queue, { dueBefore: dueBefore ?? '' })).map(
    Number,
  );
  const at = (index: number) => counts[index] ?? 0;
  return {
    waiting: at(0) + at(1),
    active: at(2),
    prioritized: at(3),
    delayed: at(4),
    waitingChildren: at(5),
    completed: at(6),
    failed: at(7),
  };
}
