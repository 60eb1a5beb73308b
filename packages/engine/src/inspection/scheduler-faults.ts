import { getState } from '@echomq/core';
import { type Fault, FaultKind } from '@echomq/proto/messages';
import { nextCron } from '../scheduling/cron.js';
import { readScheduler, type SchedulerRecord } from '../scheduling/scheduler-record.js';
import { fault } from './fault.js';
import type { Inspected } from './inspected.js';

/** What is broken about a scheduler whose next run is due at `due`, ms since the epoch. */
export async function schedulerFaults(
  inspected: Inspected,
  schedulerId: string,
  due: number,
): Promise<Fault[]> {
  const { store, queue, seenAt } = inspected;
  const record = await readScheduler(store, queue.keys, schedulerId);
  if (!record) {
    // BullMQ's legacy repeatables have a record of another kind.
    if (Number(await store.command('EXISTS', [queue.keys.scheduler(schedulerId)])) > 0) return [];
    const why = 'it is listed and has no record: nothing says what its jobs are';
    return [fault(FaultKind.SCHEDULER_MISSING, schedulerId, { why, evidence: `${due}` }, seenAt)];
  }
  const run = `repeat:${schedulerId}:${due}`;
  const state = await getState(store, queue.keys, run);
  if (['waiting', 'delayed', 'prioritized', 'waiting-children'].includes(state)) return [];
  if (await isAtItsEnd(inspected, record, run)) return [];
  const what = state === 'unknown' ? 'is gone' : `is ${state}, and no other was made`;
  const why = `its next run ${run} ${what}`;
  return [fault(FaultKind.SCHEDULER_STOPPED, schedulerId, { why, evidence: `${due}` }, seenAt)];
}

/** Whether no run is to follow `run`: then it stays listed with its last one. */
async function isAtItsEnd(
  { store, queue, seenAt }: Inspected,
  record: SchedulerRecord,
  run: string,
): Promise<boolean> {
  const previous = Number(run.slice(run.lastIndexOf(':') + 1));
  const { limit, endAt, every, pattern, iterations } = record;
  const opts = await store.command('HGET', [queue.keys.job(run), 'opts']).catch(() => null);
  if (limit !== undefined && countOf(opts, iterations) >= limit) return true;
  if (every !== undefined) return endAt !== undefined && Math.max(previous + every, seenAt) > endAt;
  if (pattern === undefined) return true;
  try {
    return nextCron({ ...record, pattern }, Math.max(previous, seenAt)) === undefined;
  } catch {
    // A pattern that nobody can read makes no run, and nothing here mends it.
    return true;
  }
}

function countOf(opts: unknown, otherwise: number): number {
  try {
    const { repeat } = JSON.parse(String(opts)) as { repeat?: { count?: unknown } };
    return typeof repeat?.count === 'number' ? repeat.count : otherwise;
  } catch {
    return otherwise;
  }
}
