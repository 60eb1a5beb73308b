import { InvalidRequest } from '@echomq/core';
import type { Schedule } from '@echomq/proto/messages';
import { nextCron } from '../../scheduling/cron.js';
import { durationMs, instantMs } from '../../validation/duration.js';
import { boundedText } from '../../validation/text.js';
import { uint } from '../../validation/uint.js';

/** A schedule after its checks. Spans and instants in ms. */
export interface CheckedSchedule {
  readonly every?: number;
  readonly pattern?: string;
  readonly timeZone?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly startAt?: number;
  readonly endAt?: number;
  readonly immediately: boolean;
}

/**
 * Checks a schedule.
 *
 * @param now the store's clock, ms since the epoch.
 * @throws InvalidRequest INVALID_FIELD or CRON_INVALID naming the field below `schedule`.
 */
export function scheduleOf(schedule: Schedule | undefined, now: number): CheckedSchedule {
  if (!schedule) throw new InvalidRequest('schedule', 'is required');
  const { repeat } = schedule;
  const startAt = schedule.startAt && instantMs(schedule.startAt, 'schedule.start_at');
  const endAt = schedule.endAt && instantMs(schedule.endAt, 'schedule.end_at');
  if (endAt !== undefined && endAt <= Math.max(now, startAt ?? 0)) {
    throw new InvalidRequest('schedule.end_at', 'must be in the future and after start_at');
  }
  if (schedule.immediately && startAt !== undefined) {
    throw new InvalidRequest('schedule.immediately', 'excludes start_at');
  }
  const limit = uint(schedule.limit, 'schedule.limit', { min: 1 });
  const bounds = {
    ...(limit === undefined ? {} : { limit }),
    ...(startAt === undefined ? {} : { startAt }),
    ...(endAt === undefined ? {} : { endAt }),
    immediately: schedule.immediately,
  };
  if (repeat?.$case === 'every') {
    const every = durationMs(repeat.value, 'schedule.every', { min: 1 });
    const offset = durationMs(schedule.offset, 'schedule.offset', { max: (every ?? 1) - 1 });
    if (offset && schedule.immediately) {
      throw new InvalidRequest('schedule.immediately', 'excludes offset');
    }
    return { ...bounds, every: every ?? 0, ...(offset === undefined ? {} : { offset }) };
  }
  if (repeat?.$case !== 'cron') {
    throw new InvalidRequest('schedule.repeat', 'needs every or cron');
  }
  if (schedule.offset) throw new InvalidRequest('schedule.offset', 'goes with every only');
  const pattern = boundedText(repeat.value.expression, 'schedule.cron.expression', {
    min: 1,
    max: 256,
  });
  const timeZone = boundedText(repeat.value.timeZone, 'schedule.cron.time_zone', { max: 64 });
  const checked = { ...bounds, pattern, ...(timeZone === '' ? {} : { timeZone }) };
  // Reads pattern and zone once, so that a bad one is refused before anything is written.
  nextCron(checked, now);
  return checked;
}

/** The first due time of a cron schedule; for an interval the script knows. */
export function firstDue(schedule: CheckedSchedule, now: number): number | undefined {
  if (schedule.pattern === undefined) return undefined;
  if (schedule.immediately) return now;
  const due = nextCron({ ...schedule, pattern: schedule.pattern }, now);
  if (due === undefined) {
    throw new InvalidRequest('schedule.end_at', 'leaves no run');
  }
  return due;
}
