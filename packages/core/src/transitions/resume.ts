import { resume as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** Reopens a queue. Jobs that a BullMQ 5 peer parked return to `wait` first, in steps, in order. Safe to repeat. */
export async function resume(store: Store, queue: QueueKeys): Promise<void> {
  let parked: unknown;
  do {
    parked = await store.run(script, queue, {});
  } while (parked === 1);
}
