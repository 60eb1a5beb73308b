import { InvalidRequest, moveStalledJobsToWait } from '@echomq/core';
import { type Fault, FaultKind, type Repair } from '@echomq/proto/messages';
import { faultName } from '../../inspection/fault.js';
import type { Inspected } from '../../inspection/inspected.js';
import { mend } from '../../inspection/mend.js';
import { storeTime } from '../../scheduling/next-run.js';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { checkFaults } from './checked-faults.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** A lease that is missing must have been so for this long, ms: a moment between two looks proves nothing. */
const SETTLED_MS = 2_000;

/** How the stalled sweeps of this server go about it. */
export interface StallSettings {
  readonly maxStalledCount: number;
  readonly stalledIntervalMs: number;
}

/** QueueService.RepairQueue. What it has done stands in the log, by id. */
export function repairQueue(deps: QueueDeps, stalls: StallSettings): QueueApi['repairQueue'] {
  return writeMethod(deps, async (request, { signal }) => {
    checkFaults(request.faults, 'faults');
    const queue = await knownQueue(deps, request.queue);
    const inspected = { store: deps.store, queue, seenAt: await storeTime(deps.store) };
    checkAges(request.faults, inspected.seenAt);
    const repairs: Repair[] = [];
    for (const fault of request.faults) {
      const done = signal.aborted ? '' : await mend(inspected, fault);
      repairs.push({ fault, done });
      if (done === '') continue;
      const { subject: id, other } = fault;
      deps.logger.warn('queue.mended', {
        ...{ queue: queue.name, fault: faultName(fault.kind), id, done },
        ...(other === '' ? {} : { other }),
      });
    }
    if (repairs.some(({ fault, done }) => fault?.kind === FaultKind.LEASE_MISSING && done !== '')) {
      await sweep(inspected, deps, stalls);
    }
    return { repairs };
  });
}

/** @throws InvalidRequest */
function checkAges(faults: readonly Fault[], now: number): void {
  faults.forEach(({ kind, seenAt }, at) => {
    if (kind !== FaultKind.LEASE_MISSING) return;
    if (seenAt !== undefined && now - seenAt.getTime() >= SETTLED_MS) return;
    throw new InvalidRequest(`faults[${at}].seen_at`, 'must be 2 s ago: look at it again first');
  });
}

/** Where nobody works nobody sweeps: so the marked ones are given back here, by the rules of every sweep. */
async function sweep(
  { store, queue }: Inspected,
  { maxMetricsDataPoints: maxMetricsSize }: QueueDeps,
  { maxStalledCount, stalledIntervalMs: stalledInterval }: StallSettings,
): Promise<void> {
  const options = { maxStalledCount, stalledInterval, force: true, maxMetricsSize };
  while ((await moveStalledJobsToWait(store, queue.keys, options)).more);
}
