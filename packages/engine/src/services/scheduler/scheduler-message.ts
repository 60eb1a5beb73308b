import { EchoMQError } from '@echomq/core';
import { JobOptions, msToDuration, type Schedule, type Scheduler } from '@echomq/proto/messages';
import { decodeOptions } from '../../messages/decode-options.js';
import type { NamedQueue } from '../../queue-names.js';
import type { SchedulerRecord } from '../../scheduling/scheduler-record.js';

/** A scheduler as clients see it. `dueAt`: when its next run is due, ms since the epoch. */
export function schedulerMessage(
  queue: NamedQueue,
  schedulerId: string,
  record: SchedulerRecord,
  dueAt: number,
): Scheduler {
  return {
    queue: queue.name,
    schedulerId,
    schedule: scheduleMessage(record),
    template: {
      name: record.name,
      data: record.data,
      options: decodeOptions(Buffer.from(record.opts)) ?? JobOptions.create(),
    },
    nextRun: new Date(dueAt),
    nextJobId: `repeat:${schedulerId}:${dueAt}`,
    iterations: record.iterations,
  };
}

function scheduleMessage(record: SchedulerRecord): Schedule {
  const { every, pattern, timeZone, offset, limit, startAt, endAt } = record;
  return {
    repeat:
      every === undefined
        ? { $case: 'cron', value: { expression: pattern ?? '', timeZone: timeZone ?? '' } }
        : { $case: 'every', value: msToDuration(every) },
    startAt: startAt === undefined ? undefined : new Date(startAt),
    endAt: endAt === undefined ? undefined : new Date(endAt),
    limit,
    offset: offset ? msToDuration(offset) : undefined,
    immediately: false,
  };
}

/** The error for a scheduler that is not there. */
export function schedulerNotFound(queue: NamedQueue, schedulerId: string): EchoMQError {
  return new EchoMQError('there is no such scheduler', {
    code: 'NOT_FOUND',
    reason: 'SCHEDULER_NOT_FOUND',
    metadata: { queue: queue.name, scheduler_id: schedulerId.slice(0, 128) },
  });
}
