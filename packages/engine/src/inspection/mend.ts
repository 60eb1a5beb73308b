import { type JobFault, repairJob, repairQueue } from '@echomq/core';
import { type Fault, FaultKind } from '@echomq/proto/messages';
import { makeNextRun } from '../scheduling/next-run.js';
import type { Inspected } from './inspected.js';
import { lookAgain } from './look-again.js';

const JOB_FAULTS: Readonly<Partial<Record<FaultKind, JobFault>>> = {
  [FaultKind.IN_TWO_PLACES]: 'two-places',
  [FaultKind.JOB_MISSING]: 'ghost',
  [FaultKind.JOB_LOST]: 'orphan',
  [FaultKind.LEASE_MISSING]: 'unleased',
  [FaultKind.LEASE_STRAY]: 'stray-lock',
  [FaultKind.LEGACY_ENTRY]: 'marker-entry',
};

/**
 * Mends one fault, if it still is: the script that mends looks itself, in the same step.
 *
 * @returns what was done, in a word or two; empty: nothing
 */
export async function mend(inspected: Inspected, fault: Fault): Promise<string> {
  const { store, queue } = inspected;
  const { kind, subject, other, evidence } = fault;
  const jobFault = JOB_FAULTS[kind];
  if (jobFault) {
    const broken = { id: subject, fault: jobFault, seen: evidence };
    return repairJob(store, queue.keys, broken);
  }
  switch (kind) {
    case FaultKind.MARKER_MISSING:
      return repairQueue(store, queue.keys, { fault: 'marker' });
    case FaultKind.PARKED:
      return mendParked(inspected, fault);
    case FaultKind.LEGACY_KEY:
      if (subject !== 'priority' && subject !== 'delay') return '';
      return repairQueue(store, queue.keys, { fault: 'legacy-key', subject });
    case FaultKind.PARENT_STUCK:
      return repairQueue(store, queue.keys, { fault: 'parent', subject, other });
    case FaultKind.DEDUPLICATION_STRAY:
      return repairQueue(store, queue.keys, { fault: 'deduplication', subject });
    case FaultKind.SCHEDULER_MISSING:
      return repairQueue(store, queue.keys, { fault: 'schedule', subject });
    case FaultKind.SCHEDULER_STOPPED:
      return mendScheduler(inspected, fault);
    default:
      return '';
  }
}

/** A thousand at a time, so that others are served in between. */
async function mendParked(inspected: Inspected, fault: Fault): Promise<string> {
  if (!(await lookAgain(inspected, fault))) return '';
  const { store, queue } = inspected;
  let done = '';
  for (;;) {
    const part = await repairQueue(store, queue.keys, { fault: 'parked' });
    if (part === '') return done;
    done = part;
  }
}

async function mendScheduler(inspected: Inspected, fault: Fault): Promise<string> {
  const { store, queue } = inspected;
  if (!(await lookAgain(inspected, fault))) return '';
  const { subject: schedulerId, evidence: due } = fault;
  const id = `repeat:${schedulerId}:${due}`;
  const opts = await store.command('HGET', [queue.keys.job(id), 'opts']);
  const run = { id, schedulerId, ...(Buffer.isBuffer(opts) ? { opts } : {}) };
  return (await makeNextRun(store, queue.keys, run)) ? 'made the next run' : '';
}
