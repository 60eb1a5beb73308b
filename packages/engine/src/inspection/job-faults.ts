import { inspectJob, type JobFacts } from '@echomq/core';
import { type Fault, FaultKind } from '@echomq/proto/messages';
import { fault } from './fault.js';
import type { Inspected } from './inspected.js';

/** What BullMQ 4 and 5 put into lists to wake their workers. */
const LEGACY_ENTRY = /^0:\d+$/;

/** What is broken about one id, at one instant; nothing for most. */
export async function jobFaults({ store, queue, seenAt }: Inspected, id: string): Promise<Fault[]> {
  const facts = await inspectJob(store, queue.keys, id);
  return facts.kind === 'job' ? ofJob(id, facts, seenAt) : ofNone(id, facts, seenAt);
}

function ofJob(id: string, facts: JobFacts, seenAt: number): Fault[] {
  const { places, locked, processedOn } = facts;
  const total = places.reduce((sum, { count }) => sum + count, 0);
  const active = places.some(({ name }) => name === 'active');
  const faults: Fault[] = [];
  if (total > 1) {
    const why = `it stands in ${wording(facts)}`;
    faults.push(fault(FaultKind.IN_TWO_PLACES, id, { why }, seenAt));
  } else if (total === 0) {
    const why = 'the job is stored and stands in no list and no set: nobody will run it';
    faults.push(fault(FaultKind.JOB_LOST, id, { why }, seenAt));
  } else if (active && !locked) {
    const why = 'it is active and nobody holds its lock: its worker is gone, and no sweep has come';
    faults.push(fault(FaultKind.LEASE_MISSING, id, { why, evidence: processedOn }, seenAt));
  }
  if (locked && !active && total > 0) {
    const why = `it has a lock and stands in ${wording(facts)}`;
    faults.push(fault(FaultKind.LEASE_STRAY, id, { why }, seenAt));
  }
  return faults;
}

function ofNone(id: string, facts: JobFacts, seenAt: number): Fault[] {
  if (facts.places.length === 0) {
    if (!facts.locked) return [];
    const why = 'there is a lock and no job';
    return [fault(FaultKind.LEASE_STRAY, id, { why }, seenAt)];
  }
  if (facts.kind === 'none' && LEGACY_ENTRY.test(id)) {
    const why = `an entry of BullMQ 4 or 5 in ${wording(facts)}, which is no id`;
    return [fault(FaultKind.LEGACY_ENTRY, id, { why }, seenAt)];
  }
  const what = facts.kind === 'none' ? 'there is no job' : 'another key has that name';
  const held = facts.locked ? '; a worker holds it, until its lock lapses' : '';
  const why = `it stands in ${wording(facts)}, and ${what}${held}`;
  return [fault(FaultKind.JOB_MISSING, id, { why }, seenAt)];
}

function wording({ places }: JobFacts): string {
  return places
    .map(({ name, count }) => (count > 1 ? `${name} (${count} times)` : name))
    .join(' and ');
}
