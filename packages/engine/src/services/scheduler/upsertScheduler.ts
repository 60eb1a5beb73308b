import { addJobScheduler, InvalidRequest, TransitionRejected } from '@echomq/core';
import type { JobTemplate } from '@echomq/proto/messages';
import { encodeOptions } from '../../messages/encode-options.js';
import type { EngineDeps } from '../../ports.js';
import { keptSlot } from '../../scheduling/kept-slot.js';
import { storeTime } from '../../scheduling/next-run.js';
import { runTemplate } from '../../scheduling/scheduler-record.js';
import type { SchedulerApi } from '../../service.js';
import { jsonPayload } from '../../validation/json-payload.js';
import { boundedText } from '../../validation/text.js';
import { writeMethod } from '../unary-method.js';
import { type CheckedSchedule, firstDue, scheduleOf } from './schedule-of.js';
import { newSchedulerId } from './scheduler-id.js';

/**
 * SchedulerService.UpsertScheduler. Repeating it is harmless: the run ahead keeps its slot. `request_id` is not looked
 * at, since nothing depends on it.
 */
export function upsertScheduler(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock'>,
): SchedulerApi['upsertScheduler'] {
  return writeMethod(deps, async (request) => {
    const { keys } = deps.names.resolve(request.queue);
    const schedulerId = newSchedulerId(request.schedulerId);
    const now = await storeTime(deps.store);
    const schedule = scheduleOf(request.schedule, now);
    const template = templateOf(request.template, deps);
    const name = template.name || schedulerId;
    const record = { ...schedule, ...template, name, iterations: 1 };
    const upsert = {
      schedulerId,
      schedule: recordFields(schedule, { ...template, name }),
      template: runTemplate(schedulerId, record),
    };
    const add = (nextDueAt: number | undefined) =>
      addJobScheduler(deps.store, keys, { ...upsert, ...(nextDueAt ? { nextDueAt } : {}) });
    const kept = await keptSlot(deps.store, keys, { schedulerId, schedule, now });
    const run = await add(kept ?? firstDue(schedule, now)).catch((error) => {
      // The run that was to keep its slot has just been taken.
      if (kept === undefined || !isCollision(error)) throw error;
      return add(firstDue(schedule, now));
    });
    return { nextJobId: run.jobId, nextRun: new Date(run.dueAt) };
  });
}

function isCollision(error: unknown): boolean {
  return error instanceof TransitionRejected && error.reason === 'SCHEDULER_JOB_ID_COLLISION';
}

const NO_DATA = Buffer.from('{}');

interface Template {
  readonly name: string;
  readonly data: Buffer;
  readonly opts: string;
}

function templateOf(
  template: JobTemplate | undefined,
  { limits }: Pick<EngineDeps, 'limits'>,
): Template {
  const options = template?.options;
  const refused = [
    [options?.jobId, 'job_id'],
    [options?.due, 'due'],
    [options?.deduplication, 'deduplication'],
  ] as const;
  for (const [value, field] of refused) {
    if (value) throw new InvalidRequest(`template.options.${field}`, 'is not for a template');
  }
  const data = jsonPayload(template?.data ?? new Uint8Array(), 'template.data', {
    limits,
    empty: '{}',
  });
  return {
    name: boundedText(template?.name ?? '', 'template.name', { max: 512 }),
    data: Buffer.from(data),
    opts: encodeOptions(options, 'template.options').toString(),
  };
}

/** The record's fields under the layout's names. */
function recordFields(schedule: CheckedSchedule, template: Template) {
  const { every, pattern, timeZone, offset, limit, startAt, endAt } = schedule;
  return {
    name: template.name,
    // As the layout has it, an empty object is not stored.
    ...(template.data.equals(NO_DATA) ? {} : { data: template.data }),
    opts: template.opts,
    ...(every === undefined ? {} : { every }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(timeZone === undefined ? {} : { tz: timeZone }),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(startAt === undefined ? {} : { startDate: startAt }),
    ...(endAt === undefined ? {} : { endDate: endAt }),
  };
}
