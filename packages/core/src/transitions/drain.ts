import { drain as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** Jobs looked at in one script. */
const STEP = 1_000;

/**
 * Removes all jobs that wait to run (and the delayed ones if asked); the next runs of schedulers stay. Goes in steps of
 * 1,000 jobs, so that others are served in between. Returns how many were removed.
 */
export async function drain(
  store: Store,
  queue: QueueKeys,
  includeDelayed: boolean,
): Promise<number> {
  const locations = [queue.wait, queue.paused, queue.prioritized];
  if (includeDelayed) locations.push(queue.delayed);
  let total = 0;
  for (const location of locations) {
    let offset = 0;
    for (;;) {
      const args = { prefix: queue.base, limit: STEP, offset };
      const [removed, kept] = rows(script, await store.run(script, { location }, args)).map(Number);
      total += removed ?? 0;
      offset += kept ?? 0;
      if ((removed ?? 0) + (kept ?? 0) < STEP) break;
    }
  }
  return total;
}
