import { moveToActive as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import {
  accepted,
  type FetchingWorker,
  type FetchOutcome,
  fetchOutcome,
  rows,
} from '../outcomes.js';
import type { Store } from '../store.js';

/**
 * Takes the next job: due jobs are promoted first, then `wait`, then `prioritized`.
 *
 * @param now ms since the epoch; '' (production) asks Redis.
 * @throws TransitionRejected LOCK_NOT_OWNED for the tokens '' and '0', which belong to nobody; REQUEST_ID_REUSED.
 */
export async function moveToActive(
  store: Store,
  queue: QueueKeys,
  worker: FetchingWorker,
  now: number | '' = '',
): Promise<FetchOutcome> {
  const reply = await store.run(script, queue, {
    prefix: queue.base,
    now,
    worker: { packed: true, ...worker },
  });
  return fetchOutcome(script, rows(script, accepted(script, reply, { queue })));
}
