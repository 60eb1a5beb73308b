import type { EngineObserver } from '../ports.js';

/** What says that a lease is over; every other answer means that it was renewed. */
const OVER: ReadonlySet<string> = new Set(['JOB_NOT_FOUND', 'LOCK_LOST', 'LOCK_NOT_OWNED']);

/** Whether a renewal found the lease alive. */
export function stillHeld(outcome: string | undefined): boolean {
  return outcome !== undefined && !OVER.has(outcome);
}

/** Counts what came of a renewal, where somebody counts. */
export function noteRenewals(
  observer: EngineObserver | undefined,
  queue: string,
  outcomes: readonly (string | undefined)[],
): void {
  if (!observer) return;
  let renewed = 0;
  for (const outcome of outcomes) if (stillHeld(outcome)) renewed++;
  observer.locksRenewed(queue, renewed, outcomes.length - renewed);
}
