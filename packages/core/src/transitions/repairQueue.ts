import { repairQueue as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** What can be wrong with a queue besides its ids. */
export type QueueFault =
  /** Work waits, nobody works, the gate is open, and no marker tells of it. */
  | { readonly fault: 'marker' }
  /** Jobs that a BullMQ 5 peer parked in `paused` and that nobody brings back. A thousand per call. */
  | { readonly fault: 'parked' }
  /** A key of an old version. */
  | { readonly fault: 'legacy-key'; readonly subject: 'priority' | 'delay' }
  /** A parent that waits for the child of the key `other`, which will never tell it; without one: for none. */
  | { readonly fault: 'parent'; readonly subject: string; readonly other?: string }
  /** A deduplication id that never lapses, of a job that is gone. */
  | { readonly fault: 'deduplication'; readonly subject: string }
  /** A schedule of a scheduler without a record. */
  | { readonly fault: 'schedule'; readonly subject: string };

/**
 * Mends what is wrong with a queue, if it still is when the script looks.
 *
 * @returns what was done, in a word or two; empty when nothing is wrong any more
 */
export async function repairQueue(
  store: Store,
  queue: QueueKeys,
  fault: QueueFault,
  now: number | '' = '',
): Promise<string> {
  const named = { subject: '', other: '', ...fault };
  return String(
    await store.run(script, { metaKey: queue.meta }, { prefix: queue.base, ...named, now }),
  );
}
