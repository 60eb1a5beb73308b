import { inspectKeys } from '@echomq/core';
import { type Fault, FaultKind } from '@echomq/proto/messages';
import { gateFaults } from './gate-faults.js';
import type { Inspected } from './inspected.js';
import { jobFaults } from './job-faults.js';
import { childFault, parentFaults } from './parent-faults.js';
import { schedulerFaults } from './scheduler-faults.js';

/** The fault if it still is as it was, settled now; undefined when it has gone, or was a moment of a healthy queue. */
export async function lookAgain(inspected: Inspected, fault: Fault): Promise<Fault | undefined> {
  const now = await sameSubject(inspected, fault);
  const same = now.find(
    ({ kind, subject, other, evidence }) =>
      kind === fault.kind &&
      subject === fault.subject &&
      other === fault.other &&
      (evidence === fault.evidence || !fault.unsettled),
  );
  return same && { ...same, seenAt: fault.seenAt ?? same.seenAt, unsettled: false };
}

async function sameSubject(inspected: Inspected, fault: Fault): Promise<readonly Fault[]> {
  const { subject, other } = fault;
  switch (fault.kind) {
    case FaultKind.IN_TWO_PLACES:
    case FaultKind.JOB_MISSING:
    case FaultKind.JOB_LOST:
    case FaultKind.LEASE_MISSING:
    case FaultKind.LEASE_STRAY:
    case FaultKind.LEGACY_ENTRY:
      return jobFaults(inspected, subject);
    case FaultKind.MARKER_MISSING:
    case FaultKind.PARKED:
    case FaultKind.LEGACY_KEY:
    case FaultKind.WRONG_TYPE:
      return gateFaults(inspected);
    case FaultKind.PARENT_STUCK:
      return stuckParent(inspected, subject, other);
    case FaultKind.DEDUPLICATION_STRAY:
      return strayDeduplication(inspected, fault);
    case FaultKind.SCHEDULER_STOPPED:
    case FaultKind.SCHEDULER_MISSING:
      return stoppedScheduler(inspected, subject);
    default:
      // Of a newer version.
      return [];
  }
}

async function stuckParent(inspected: Inspected, parentId: string, child: string) {
  const { store, queue } = inspected;
  const { waitingChildren } = queue.keys;
  if ((await store.command('ZSCORE', [waitingChildren, parentId])) === null) return [];
  if (child === '') return parentFaults(inspected, parentId);
  const dependencies = queue.keys.dependencies(parentId);
  if (Number(await store.command('SISMEMBER', [dependencies, child])) === 0) return [];
  const found = await childFault(inspected, parentId, child);
  return found ? [found] : [];
}

async function strayDeduplication({ store, queue }: Inspected, fault: Fault) {
  const { deduplication } = await inspectKeys(store, queue.keys, [`de:${fault.subject}`]);
  return deduplication.length > 0 ? [fault] : [];
}

async function stoppedScheduler(inspected: Inspected, schedulerId: string) {
  const { store, queue } = inspected;
  const score = await store.command('ZSCORE', [queue.keys.schedulers, schedulerId]);
  return score === null ? [] : schedulerFaults(inspected, schedulerId, Math.trunc(Number(score)));
}
