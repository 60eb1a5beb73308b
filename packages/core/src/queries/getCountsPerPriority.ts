import { getCountsPerPriority as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** How many ready jobs have each of the given priorities, in their order; 0 counts those without one. */
export async function getCountsPerPriority(
  store: Store,
  queue: QueueKeys,
  priorities: readonly number[],
): Promise<number[]> {
  return rows(script, await store.run(script, queue, { priorities })).map(Number);
}
