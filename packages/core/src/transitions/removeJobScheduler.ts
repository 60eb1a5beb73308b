import { removeJobScheduler as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** Removes a scheduler and its delayed run. Returns false when there was none. */
export async function removeJobScheduler(
  store: Store,
  queue: QueueKeys,
  schedulerId: string,
): Promise<boolean> {
  const keys = { ...queue, record: queue.scheduler(schedulerId) };
  return (await store.run(script, keys, { prefix: queue.base, schedulerId })) === 1;
}
