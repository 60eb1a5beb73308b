import { removeDeduplicationKey as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** Frees a deduplication id; with `owner` only if that job holds it. Returns whether it was freed. */
export async function removeDeduplicationKey(
  store: Store,
  queue: QueueKeys,
  deduplicationId: string,
  owner = '',
): Promise<boolean> {
  return (await store.run(script, { key: queue.deduplication(deduplicationId) }, { owner })) === 1;
}
