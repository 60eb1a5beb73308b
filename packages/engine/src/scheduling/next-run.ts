import {
  type QueueKeys,
  type ScheduledRun,
  type Store,
  type StoredJob,
  updateJobScheduler,
} from '@echomq/core';
import { nextCron } from './cron.js';
import { readScheduler, runTemplate, type SchedulerRecord } from './scheduler-record.js';

/**
 * Makes the next run of the scheduler that a job, the run just taken, belongs to: before the job is delivered, so that a schedule never
 * depends on what becomes of one run. Repeated calls, calls for older runs and for schedulers that are gone or at their
 * end do nothing.
 *
 * @throws StoreUnavailable and its like, InvalidRequest for a stored pattern that nobody can read; the repairs then
 * make up for it if they can.
 */
export async function makeNextRun(
  store: Store,
  queue: QueueKeys,
  job: Pick<StoredJob, 'id' | 'schedulerId'> & Partial<Pick<StoredJob, 'opts'>>,
): Promise<ScheduledRun | undefined> {
  const { schedulerId } = job;
  if (schedulerId === undefined) return undefined;
  const record = await readScheduler(store, queue, schedulerId);
  if (!record || countOf(job.opts, record) >= (record.limit ?? Number.POSITIVE_INFINITY)) {
    return undefined;
  }
  const previous = Number(job.id.slice(job.id.lastIndexOf(':') + 1));
  const now = await storeTime(store);
  const due = nextDue(record, previous, now);
  if (due === undefined) return undefined;
  return updateJobScheduler(store, queue, {
    schedulerId,
    jobId: job.id,
    template: runTemplate(schedulerId, record),
    ...(record.every === undefined ? { nextDueAt: due } : {}),
  });
}

/**
 * Which run of its schedule this is: each run counts on from the one before, and setting the schedule anew begins at 1.
 * Where the run does not say, or is gone, all runs of the scheduler count.
 */
function countOf(opts: Buffer | undefined, { iterations }: SchedulerRecord): number {
  try {
    const { repeat } = JSON.parse(String(opts)) as { repeat?: { count?: unknown } };
    return typeof repeat?.count === 'number' ? repeat.count : iterations;
  } catch {
    return iterations;
  }
}

/** When the next run is due; for an interval only whether one is left, since the script computes the slot. */
function nextDue(record: SchedulerRecord, previous: number, now: number): number | undefined {
  if (record.every !== undefined) {
    const due = Math.max(previous + record.every, now);
    return record.endAt !== undefined && due > record.endAt ? undefined : due;
  }
  if (record.pattern === undefined) return undefined;
  return nextCron({ ...record, pattern: record.pattern }, Math.max(previous, now));
}

/** The store's clock, ms since the epoch. */
export async function storeTime(store: Store): Promise<number> {
  const reply = (await store.command('TIME', [])) as readonly unknown[];
  return Number(String(reply[0])) * 1_000 + Math.floor(Number(String(reply[1])) / 1_000);
}
