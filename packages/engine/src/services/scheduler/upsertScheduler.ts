import { addJobScheduler, InvalidRequest } from '@echomq/core';
import type { JobTemplate } from '@echomq/proto/messages';
import { encodeOptions } from '../../messages/encode-options.js';
import type { EngineDeps } from '../../ports.js';
import { storeTime } from '../../scheduling/next-run.js';
import { runTemplate } from '../../scheduling/scheduler-record.js';
import type { SchedulerApi } from '../../service.js';
import { jsonPayload } from '../../validation/json-payload.js';
import { boundedText } from '../../validation/text.js';
import { writeMethod } from '../unary-method.js';
import { type CheckedSchedule, firstDue, scheduleOf } from './schedule-of.js';
import { schedulerIdOf } from './scheduler-id.js';

/** SchedulerService.UpsertScheduler. Repeating it is harmless: the run ahead keeps its slot. */
export function upsertScheduler(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock'>,
): SchedulerApi['upsertScheduler'] {
  return writeMethod(deps, async (request) => {
    const { keys } = deps.names.resolve(request.queue);
    const schedulerId = schedulerIdOf(request.schedulerId);
    const now = await storeTime(deps.store);
    const schedule = scheduleOf(request.schedule, now);
    const template = templateOf(request.template, deps);
    const name = template.name || schedulerId;
    const nextDueAt = firstDue(schedule, now);
    const record = { ...schedule, ...template, name, iterations: 1 };
    const run = await addJobScheduler(deps.store, keys, {
      schedulerId,
      schedule: recordFields(schedule, { ...template, name }),
      template: runTemplate(schedulerId, record),
      ...(nextDueAt === undefined ? {} : { nextDueAt }),
    });
    return { nextJobId: run.jobId, nextRun: new Date(run.dueAt) };
  });
}

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
    if (value) throw new InvalidRequest(`template.options.${field}`, 'belongs to the schedule');
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
    data: template.data,
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
