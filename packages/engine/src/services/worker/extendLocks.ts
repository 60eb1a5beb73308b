import { EchoMQError, InvalidRequest, type RenewalOutcome } from '@echomq/core';
import {
  type ExtendLocksRequest,
  type ExtendLocksResponse,
  type LeaseRenewal,
  LeaseStatus,
  msToDuration,
} from '@echomq/proto/messages';
import type { QueueLane } from '../../dispatch/queue-lane.js';
import { MAX_BATCH } from '../../leases/lease-keeper.js';
import { noteRenewals, stillHeld } from '../../leases/still-held.js';
import type { NamedQueue } from '../../queue-names.js';
import type { CallContext } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { type Lease, leaseOf } from '../../validation/lease.js';
import { checkWorkerTexts } from '../../validation/worker-texts.js';
import { noteCaller } from './note-caller.js';
import type { WorkerDeps } from './worker-deps.js';

const STATUS: Readonly<Record<string, LeaseStatus>> = {
  EXTENDED: LeaseStatus.EXTENDED,
  CANCEL_REQUESTED: LeaseStatus.CANCEL_REQUESTED,
  LOCK_LOST: LeaseStatus.LOST,
  LOCK_NOT_OWNED: LeaseStatus.NOT_OWNED,
  JOB_NOT_FOUND: LeaseStatus.NOT_FOUND,
};

/** ExtendLocks: renews locks, one script per queue; each lease has its own answer. */
export async function extendLocks(
  request: ExtendLocksRequest,
  deps: WorkerDeps,
  context: CallContext,
): Promise<ExtendLocksResponse> {
  const { limits } = deps;
  if (request.leases.length > limits.maxExtend) {
    throw new InvalidRequest('leases', `must have at most ${limits.maxExtend}`);
  }
  checkWorkerTexts(request.worker);
  const lockMs = durationMs(request.lockDuration, 'lock_duration', {
    min: limits.minLockMs,
    max: limits.maxLockMs,
    fallback: limits.defaultLockMs,
  });
  const leases = request.leases.map((lease) => held(lease, deps));
  noteHolder(request, leases, { deps, context });
  const outcomes = await renewLeases(leases, { lockMs }, deps);
  return {
    leases: request.leases.map(({ leaseToken }, index) =>
      renewal(leaseToken, outcomes[index] ?? 'LOCK_LOST', lockMs),
    ),
    heartbeatInterval: msToDuration(lockMs / 3),
    directive: undefined,
  };
}

/** A lease whose shape is wrong belongs to nobody: it fails alone. */
function held(lease: ExtendLocksRequest['leases'][number], deps: WorkerDeps): Lease | undefined {
  try {
    return leaseOf(deps.names, lease);
  } catch (error) {
    if (error instanceof EchoMQError) return undefined;
    throw error;
  }
}

function noteHolder(
  { worker, load }: ExtendLocksRequest,
  leases: readonly (Lease | undefined)[],
  { deps, context }: { readonly deps: WorkerDeps; readonly context: CallContext },
): void {
  const queues = new Map<NamedQueue, string[]>();
  for (const lease of leases) {
    if (lease) queues.set(lease.queue, [...(queues.get(lease.queue) ?? []), lease.jobId]);
  }
  for (const [queue, held] of queues) noteCaller(deps, context, { worker, load, queue, held })();
}

/**
 * Renews leases of any queues. Answers stand in the order given; `undefined` leases are lost. `begun`: their runs have
 * begun, if that was not known.
 */
export async function renewLeases(
  leases: readonly (Lease | undefined)[],
  { lockMs, begun = false }: { readonly lockMs: number; readonly begun?: boolean },
  deps: Pick<WorkerDeps, 'dispatcher' | 'observer'>,
): Promise<RenewalOutcome[]> {
  const lanes = new Map<QueueLane, { index: number; lease: Lease }[]>();
  leases.forEach((lease, index) => {
    if (!lease) return;
    const { lane } = deps.dispatcher.of(lease.queue);
    const entries = lanes.get(lane);
    if (entries) entries.push({ index, lease });
    else lanes.set(lane, [{ index, lease }]);
  });
  const outcomes: RenewalOutcome[] = leases.map(() => 'LOCK_LOST');
  await Promise.all(
    batchesOf(lanes).map(async ([lane, entries]) => {
      const terms = { lockDuration: lockMs, ...(begun ? { begun } : {}) };
      const answers = await lane.renew(
        entries.map(({ lease }) => ({ id: lease.jobId, token: lease.token, ...terms })),
      );
      noteRenewals(deps.observer, lane.queue.name, answers);
      entries.forEach(({ index }, at) => {
        outcomes[index] = answers[at] ?? 'LOCK_LOST';
      });
    }),
  );
  return outcomes;
}

function batchesOf<T>(lanes: ReadonlyMap<QueueLane, readonly T[]>): [QueueLane, T[]][] {
  const batches: [QueueLane, T[]][] = [];
  for (const [lane, entries] of lanes) {
    for (let at = 0; at < entries.length; at += MAX_BATCH) {
      batches.push([lane, entries.slice(at, at + MAX_BATCH)]);
    }
  }
  return batches;
}

/** One lease's answer. */
export function renewal(leaseToken: string, outcome: RenewalOutcome, lockMs: number): LeaseRenewal {
  const lockTtl = stillHeld(outcome) ? msToDuration(lockMs) : undefined;
  return { leaseToken, status: STATUS[outcome] ?? LeaseStatus.LOST, lockTtl };
}
