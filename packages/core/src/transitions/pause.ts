import { pause as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import type { Store } from '../store.js';

/** Pauses a queue: nothing is handed out, running jobs go on. Safe to repeat. */
export async function pause(store: Store, queue: QueueKeys): Promise<void> {
  await store.run(script, queue, {});
}
