import {
  msToDuration,
  PreviewScheduleRequest,
  UpsertSchedulerRequest,
} from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { frozen } from '../use-services.js';

type Part = Parameters<typeof UpsertSchedulerRequest.fromPartial>[0];
type SchedulePart = NonNullable<Part['schedule']>;

/** A schedule at an interval of so many ms. */
export function every(ms: number, more: SchedulePart = {}): SchedulePart {
  return { repeat: { $case: 'every', value: msToDuration(ms) }, ...more };
}

/** A schedule by the calendar. */
export function cron(expression: string, timeZone = '', more: SchedulePart = {}): SchedulePart {
  return { repeat: { $case: 'cron', value: { expression, timeZone } }, ...more };
}

/** An upsert with its defaults; frozen, as embedded callers may send it. */
export function upsertOf(
  queue: Pick<FreshQueue, 'name'>,
  schedule: SchedulePart | undefined,
  more: Part = {},
): UpsertSchedulerRequest {
  const part = { queue: queue.name, schedulerId: 's', ...(schedule ? { schedule } : {}), ...more };
  return frozen(UpsertSchedulerRequest.fromPartial(part));
}

/** A preview of so many runs after an instant. */
export function previewOf(
  schedule: SchedulePart,
  after: string,
  count: number,
): PreviewScheduleRequest {
  return frozen(PreviewScheduleRequest.fromPartial({ schedule, after: new Date(after), count }));
}
