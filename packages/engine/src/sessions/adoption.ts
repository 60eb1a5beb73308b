import { InvalidRequest } from '@echomq/core';
import type { LeaseRenewal, WorkOpen } from '@echomq/proto/messages';
import { stillHeld } from '../leases/still-held.js';
import { renewal, renewLeases } from '../services/worker/extendLocks.js';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import { type Lease, leaseOf } from '../validation/lease.js';

/** Leases that a worker may bring along. */
const MAX_HELD = 10_000;

/** What became of the leases that a worker brings along. */
export interface Adoption {
  /** Those that the store proves to be its own, renewed. */
  readonly leases: readonly Lease[];
  /** Tokens of those whose jobs somebody asked to cancel. */
  readonly cancelled: readonly string[];
  readonly adopted: LeaseRenewal[];
  readonly rejected: LeaseRenewal[];
}

/**
 * Asks the store which of the leases of an open still hold.
 *
 * @throws InvalidRequest for a lease of a wrong shape; StoreUnavailable.
 */
export async function adoptHeld(
  open: WorkOpen,
  lockMs: number,
  deps: WorkerDeps,
): Promise<Adoption> {
  if (open.held.length > MAX_HELD) {
    throw new InvalidRequest('open.held', `must have at most ${MAX_HELD}`);
  }
  const leases = open.held.map((lease, index) => leaseOf(deps.names, lease, `open.held[${index}]`));
  const outcomes = await renewLeases(leases, { lockMs, begun: true }, deps);
  const holds = (_item: unknown, at: number) => stillHeld(outcomes[at]);
  const answers = leases.map(({ token }, at) =>
    renewal(token, outcomes[at] ?? 'LOCK_LOST', lockMs),
  );
  return {
    leases: leases.filter(holds),
    cancelled: leases
      .map(({ token }) => token)
      .filter((_, at) => outcomes[at] === 'CANCEL_REQUESTED'),
    adopted: answers.filter(holds),
    rejected: answers.filter((item, at) => !holds(item, at)),
  };
}
