import { type Fault, FaultKind } from '@echomq/proto/messages';
import { fault } from './fault.js';
import type { Inspected } from './inspected.js';
import { splitJobKey } from './split-job-key.js';

/** Children looked at together. */
const STEP = 100;

/**
 * What is broken about a job that waits for its children: it waits for none, or for one that will never tell it. A child
 * that has failed is none of these: its parent waits for whoever tries it again.
 */
export async function parentFaults(inspected: Inspected, parentId: string): Promise<Fault[]> {
  const { store, queue, seenAt } = inspected;
  const dependencies = queue.keys.dependencies(parentId);
  const type = String(await store.command('TYPE', [dependencies]));
  if (type === 'none') {
    const why = 'it waits for children and has none that are pending';
    return [fault(FaultKind.PARENT_STUCK, parentId, { why, evidence: '' }, seenAt)];
  }
  if (type !== 'set') return [];
  const faults: Fault[] = [];
  for (let cursor = '0'; ; ) {
    const reply = await store.command('SSCAN', [dependencies, cursor, 'COUNT', STEP]);
    const [next, members] = reply as [unknown, readonly unknown[]];
    const found = members.map((child) => childFault(inspected, parentId, String(child)));
    for (const one of await Promise.all(found)) if (one) faults.push(one);
    cursor = String(next);
    if (cursor === '0') return faults;
  }
}

/** What is broken between a parent and one child that it waits for, if something is. */
export async function childFault(
  { store, queue, seenAt }: Inspected,
  parentId: string,
  child: string,
): Promise<Fault | undefined> {
  const parentKey = queue.keys.job(parentId);
  const broken = (why: string) =>
    fault(FaultKind.PARENT_STUCK, parentId, { why, other: child, evidence: '' }, seenAt);
  const type = String(await store.command('TYPE', [child]));
  if (type !== 'hash') return broken(`it waits for ${child}, which is not there`);
  const reply = await store.command('HMGET', [child, 'timestamp', 'parentKey']);
  const [timestamp, owner] = reply as readonly unknown[];
  if (timestamp === null) return broken(`it waits for ${child}, which is no job`);
  if (String(owner) !== parentKey) {
    const whose = owner === null ? 'no parent' : `the parent ${String(owner)}`;
    return broken(`it waits for ${child}, which has ${whose}`);
  }
  const { base, id } = splitJobKey(child, queue.keys);
  const completed = `${base}completed`;
  if (String(await store.command('TYPE', [completed])) !== 'zset') return undefined;
  if ((await store.command('ZSCORE', [completed, id])) === null) return undefined;
  return broken(`it waits for ${child}, which has completed`);
}
