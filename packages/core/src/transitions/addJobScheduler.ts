import { type AddJobSchedulerArgs, addJobScheduler as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, rows } from '../outcomes.js';
import type { RunTemplate, ScheduledRun } from '../schedule-template.js';
import type { Store } from '../store.js';

/** A scheduler to create or change. */
export interface SchedulerUpsert {
  readonly schedulerId: string;
  /** The record: `every` (ms) or `pattern` (cron), and its bounds. */
  readonly schedule: AddJobSchedulerArgs['schedule'];
  readonly template: RunTemplate;
  /** The first due time of a cron pattern, ms since the epoch; for `every` the script knows. */
  readonly nextDueAt?: number;
}

/**
 * Creates or changes a scheduler and its one run ahead.
 *
 * @throws TransitionRejected SCHEDULER_JOB_ID_COLLISION, SCHEDULER_JOB_SLOTS_BUSY.
 */
export async function addJobScheduler(
  store: Store,
  queue: QueueKeys,
  upsert: SchedulerUpsert,
  now: number | '' = '',
): Promise<ScheduledRun> {
  const { schedulerId, schedule, template } = upsert;
  const keys = { ...queue, record: queue.scheduler(schedulerId) };
  const reply = await store.run(script, keys, {
    prefix: queue.base,
    now,
    schedulerId,
    nextDue: upsert.nextDueAt ?? '',
    schedule,
    template,
  });
  const [jobId, delayMs, dueAt] = rows(script, accepted(script, reply, { queue }));
  return { jobId: String(jobId), delayMs: Number(delayMs), dueAt: Number(dueAt) };
}
