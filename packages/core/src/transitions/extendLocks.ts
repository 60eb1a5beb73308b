import { extendLocks as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import { rejectionOf } from '../rejections.js';
import type { Store } from '../store.js';

/** A lock to renew. */
export interface LeaseRenewal {
  /** The job. */
  readonly id: string;
  readonly token: string;
  /** The new time to live, ms. */
  readonly lockDuration: number;
  /** The worker has begun a job that was fetched `buffered`: from now on a silence is a stall. */
  readonly begun?: boolean;
}

/** The answer for one lock. `CANCEL_REQUESTED`: it was renewed, and somebody asked to cancel its job. */
export type RenewalOutcome =
  | 'EXTENDED'
  | 'CANCEL_REQUESTED'
  | 'JOB_NOT_FOUND'
  | 'LOCK_LOST'
  | 'LOCK_NOT_OWNED';

/** Renews many locks of a queue in one script; one that is lost harms no other. Answers stand in the order given. */
export async function extendLocks(
  store: Store,
  queue: QueueKeys,
  leases: readonly LeaseRenewal[],
): Promise<RenewalOutcome[]> {
  if (leases.length === 0) return [];
  const reply = await store.run(script, queue, { prefix: queue.base, leases });
  return rows(script, reply).map((answer) => {
    const renewed = answer === 2 ? 'CANCEL_REQUESTED' : 'EXTENDED';
    return (rejectionOf(answer) ?? renewed) as RenewalOutcome;
  });
}
