import { promoteDueJobs as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** What a promotion moved. */
export interface Promotion {
  /** Jobs moved, at most 1000. */
  readonly moved: number;
  /** When the next is due, ms since the epoch; it may have passed already when more than 1000 were due. */
  readonly nextDueAt?: number;
}

/** Moves due jobs out of `delayed` without fetching any. */
export async function promoteDueJobs(
  store: Store,
  queue: QueueKeys,
  now: number | '' = '',
): Promise<Promotion> {
  const reply = rows(script, await store.run(script, queue, { prefix: queue.base, now }));
  const [moved, due] = reply.map(Number);
  return due ? { moved: moved ?? 0, nextDueAt: due } : { moved: moved ?? 0 };
}
