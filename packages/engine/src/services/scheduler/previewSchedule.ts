import type { EngineDeps } from '../../ports.js';
import { nextCron } from '../../scheduling/cron.js';
import { storeTime } from '../../scheduling/next-run.js';
import type { SchedulerApi } from '../../service.js';
import { instantMs } from '../../validation/duration.js';
import { uint } from '../../validation/uint.js';
import { readMethod } from '../unary-method.js';
import { type CheckedSchedule, scheduleOf } from './schedule-of.js';

/** SchedulerService.PreviewSchedule: when a schedule would run, so that every language sees the same calendar. */
export function previewSchedule(
  deps: Pick<EngineDeps, 'store' | 'clock'>,
): SchedulerApi['previewSchedule'] {
  return readMethod(deps, async (request) => {
    const now = await storeTime(deps.store);
    const after = request.after ? instantMs(request.after, 'after') : now;
    const count = uint(request.count || 10, 'count', { min: 1, max: 100, fallback: 10 });
    const schedule = scheduleOf(request.schedule, after);
    const runs: Date[] = [];
    let previous: number | undefined;
    while (runs.length < Math.min(count, schedule.limit ?? count)) {
      const due = nextRun(schedule, previous, after);
      if (due === undefined) break;
      runs.push(new Date(due));
      previous = due;
    }
    return { runs };
  });
}

/** The run after `previous`, or the first one. */
function nextRun(
  schedule: CheckedSchedule,
  previous: number | undefined,
  after: number,
): number | undefined {
  if (previous === undefined && schedule.immediately) return after;
  if (schedule.pattern !== undefined) {
    return nextCron({ ...schedule, pattern: schedule.pattern }, previous ?? after);
  }
  const every = schedule.every ?? 0;
  const due = previous === undefined ? firstSlot(schedule, every, after) : previous + every;
  return schedule.endAt !== undefined && due > schedule.endAt ? undefined : due;
}

/** The first slot of an interval, as the script chooses it. */
function firstSlot({ startAt, offset }: CheckedSchedule, every: number, after: number): number {
  if (startAt !== undefined) return Math.max(startAt, after);
  if (!offset) return after;
  const slot = Math.floor(after / every) * every + offset;
  return slot <= after ? slot + every : slot;
}
