import { obliterate as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** Jobs of one script, so that others are served in between. */
const STEP = 1_000;

/**
 * Removes a paused queue with all its jobs, in steps of 1,000, then whatever else carries its prefix (deduplication
 * ids, our own keys, leftovers).
 *
 * @param force also when jobs are active.
 * @param most jobs to remove in this call; all by default.
 * @returns true when nothing is left, false when the call must be repeated.
 * @throws TransitionRejected QUEUE_NOT_PAUSED, QUEUE_HAS_ACTIVE_JOBS.
 */
export async function obliterate(
  store: Store,
  queue: QueueKeys,
  force: boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (let removed = 0; removed < most; removed += STEP) {
    const limit = Math.min(STEP, most - removed);
    const args = { prefix: queue.base, limit, force };
    if (accepted(script, await store.run(script, queue, args), { queue }) !== 1) {
      await sweepPrefix(store, queue.base);
      return true;
    }
  }
  return false;
}

/** Unlinks every key that begins with `base`, on every primary. */
async function sweepPrefix(store: Store, base: string): Promise<void> {
  const pattern = `${base.replace(/[\\*?[\]]/g, '\\$&')}*`;
  // Each primary has a cursor of its own; the replies of the others to it are welcome and do not count.
  for (let node = 0, nodes = 1; node < nodes; node++) {
    let cursor = '0';
    do {
      const args = [cursor, 'MATCH', pattern, 'COUNT', 1_000];
      const pages = (await store.redis.eachPrimary('SCAN', args)) as [Buffer, Buffer[]][];
      nodes = pages.length;
      const keys = pages.flatMap(([, found]) => found);
      if (keys.length > 0) await store.command('UNLINK', keys);
      cursor = String(pages[node]?.[0] ?? '0');
    } while (cursor !== '0');
  }
}
