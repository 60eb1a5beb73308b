import { noteWorkers as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** A worker's session as it is noted with one of its queues. */
export interface NotedWorker {
  /** A digest that names the session. */
  readonly session: string;
  /** Who it is: JSON text that its readers know. */
  readonly about: string;
  /** How it stands: the same. */
  readonly state: string;
  /** How long ago it was heard, ms. */
  readonly heardMsAgo: number;
}

/**
 * Notes sessions that work on a queue; each is forgotten after `ttlMs` unless it is noted again. Returns how many are
 * noted with the queue now.
 */
export async function noteWorkers(
  store: Store,
  queue: QueueKeys,
  sessions: readonly NotedWorker[],
  { ttlMs, now = '' }: { readonly ttlMs: number; readonly now?: number | '' },
): Promise<number> {
  const keys = { workers: queue.workers };
  const args = { prefix: queue.base, now, ttl: ttlMs, sessions };
  return Number(await store.run(script, keys, args));
}
