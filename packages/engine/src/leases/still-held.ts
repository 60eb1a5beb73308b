/** What says that a lease is over; every other answer means that it was renewed. */
const OVER: ReadonlySet<string> = new Set(['JOB_NOT_FOUND', 'LOCK_LOST', 'LOCK_NOT_OWNED']);

/** Whether a renewal found the lease alive. */
export function stillHeld(outcome: string | undefined): boolean {
  return outcome !== undefined && !OVER.has(outcome);
}
