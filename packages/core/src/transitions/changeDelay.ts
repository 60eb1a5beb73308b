import { changeDelay as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A new due time for a delayed job. */
export interface DelayChange {
  readonly jobId: string;
  /** So many ms from now, or at an instant (ms since the epoch). */
  readonly until: { readonly delayMs: number } | { readonly dueAt: number };
}

/**
 * Moves a delayed job to another due time, which it returns (ms since the epoch).
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_NOT_IN_STATE.
 */
export async function changeDelay(
  store: Store,
  queue: QueueKeys,
  change: DelayChange,
  now: number | '' = '',
): Promise<number> {
  const { jobId, until } = change;
  const reply = await store.run(script, queue, {
    jobId,
    prefix: queue.base,
    now,
    delay: 'delayMs' in until ? until.delayMs : 0,
    dueAt: 'dueAt' in until ? until.dueAt : '',
  });
  return Number(accepted(script, reply, { queue, jobId }));
}
