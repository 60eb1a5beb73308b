import { updateJobScheduler as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { RunTemplate, ScheduledRun } from '../schedule-template.js';
import type { Store } from '../store.js';

/** A run that was taken, so that the next must be made. */
export interface TakenRun {
  readonly schedulerId: string;
  /** The run's id. Only the one that the scheduler counts on has an effect. */
  readonly jobId: string;
  /** The next due time of a cron pattern, ms since the epoch; absent for `every`. */
  readonly nextDueAt?: number;
  readonly template: RunTemplate;
}

/** Makes the next run. `undefined` when there was nothing to do: an older run, a repeated call, no such scheduler. */
export async function updateJobScheduler(
  store: Store,
  queue: QueueKeys,
  run: TakenRun,
  now: number | '' = '',
): Promise<ScheduledRun | undefined> {
  const { schedulerId, template } = run;
  const keys = { ...queue, record: queue.scheduler(schedulerId) };
  const reply = await store.run(script, keys, {
    prefix: queue.base,
    now,
    schedulerId,
    producerId: run.jobId,
    nextDue: run.nextDueAt ?? '',
    template,
  });
  if (reply === 0) return undefined;
  const [jobId, delayMs, dueAt] = rows(script, reply);
  return { jobId: String(jobId), delayMs: Number(delayMs), dueAt: Number(dueAt) };
}
