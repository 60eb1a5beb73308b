import { obliterate as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/**
 * Removes a paused queue with all its jobs, in steps of 1,000, then whatever else carries its prefix (deduplication
 * ids, our own keys, leftovers).
 *
 * @param force also when jobs are active.
 * @throws TransitionRejected QUEUE_NOT_PAUSED, QUEUE_HAS_ACTIVE_JOBS.
 */
export async function obliterate(store: Store, queue: QueueKeys, force: boolean): Promise<void> {
  let more: unknown;
  do {
    const args = { prefix: queue.base, limit: 1_000, force };
    more = accepted(script, await store.run(script, queue, args), { queue });
  } while (more === 1);
  await sweepPrefix(store, queue.base);
}

/** Unlinks every key that begins with `base`, on every primary. */
async function sweepPrefix(store: Store, base: string): Promise<void> {
  const pattern = `${base.replace(/[\\*?[\]]/g, '\\$&')}*`;
  let cursors = ['0'];
  // Each primary has its own cursor; a reply stands at its node's place.
  do {
    const replies = await Promise.all(
      [...new Set(cursors)].map((cursor) =>
        store.redis.eachPrimary('SCAN', [cursor, 'MATCH', pattern, 'COUNT', 1_000]),
      ),
    );
    const pages = replies.flat() as [Buffer, Buffer[]][];
    for (const key of pages.flatMap(([, keys]) => keys)) await store.command('UNLINK', [key]);
    cursors = pages.map(([cursor]) => String(cursor)).filter((cursor) => cursor !== '0');
  } while (cursors.length > 0);
}
