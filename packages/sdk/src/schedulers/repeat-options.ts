import type * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';
import { checkNames } from '../payload/known-names.js';
import { durationOf, uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';

/** When the jobs of a scheduler run. The names are those that BullMQ's users know. */
export interface RepeatOptions {
  /** At a steady interval of so many ms, at least 1. Not together with `pattern`. */
  readonly every?: number;
  /** A cron rule of five fields, or six with seconds first; `@daily` and its like too. Not together with `every`. */
  readonly pattern?: string;
  /** The zone of the pattern, by its IANA name; UTC by default, where BullMQ's is that of the host. */
  readonly tz?: string;
  /** At most so many jobs. */
  readonly limit?: number;
  /** No job before this: a Date, ms since the epoch, or what `Date` reads. */
  readonly startDate?: Date | number | string;
  /** No job after this. */
  readonly endDate?: Date | number | string;
  /** Shifts an interval from its round times, in ms, by less than its length. */
  readonly offset?: number;
  /** The first job runs at once; not with `startDate` or `offset`. */
  readonly immediately?: boolean;
}

const NAMES: ReadonlySet<string> = new Set<keyof RepeatOptions>([
  ...(['every', 'pattern', 'tz', 'limit', 'startDate', 'endDate', 'offset'] as const),
  'immediately',
]);

/** A schedule as the contract writes it. @throws InvalidRequest naming the option below `repeat` */
export function encodeSchedule(repeat: RepeatOptions): pb.Schedule {
  checkNames(repeat, NAMES, { field: 'repeat', what: 'an option of a schedule' });
  const { limit, startDate, endDate, offset, immediately = false } = repeat;
  if (immediately && startDate !== undefined) {
    throw invalid('repeat.immediately', 'not together with `startDate`');
  }
  return {
    repeat: repetitionOf(repeat),
    startAt: instantOf(startDate, 'repeat.startDate'),
    endAt: instantOf(endDate, 'repeat.endDate'),
    limit: uint32Of(limit, 'repeat.limit'),
    offset: offset === undefined ? undefined : durationOf(offset, 'repeat.offset'),
    immediately,
  };
}

function repetitionOf({ every, pattern, tz, offset }: RepeatOptions): pb.Schedule['repeat'] {
  if (every !== undefined) {
    if (pattern !== undefined) throw invalid('repeat.pattern', 'not together with `every`');
    if (tz !== undefined) throw invalid('repeat.tz', 'goes with `pattern` only');
    if (every < 1) throw invalid('repeat.every', 'must be at least 1 ms');
    return { $case: 'every', value: durationOf(every, 'repeat.every') };
  }
  if (pattern === undefined) throw invalid('repeat.every', 'or `pattern` is needed');
  if (offset !== undefined) throw invalid('repeat.offset', 'goes with `every` only');
  const expression = textOf(pattern, 'repeat.pattern');
  const timeZone = tz === undefined ? '' : textOf(tz, 'repeat.tz');
  return { $case: 'cron', value: { expression, timeZone } };
}

function instantOf(value: Date | number | string | undefined, field: string): Date | undefined {
  if (value === undefined) return undefined;
  const instant = new Date(value);
  if (Number.isNaN(instant.getTime())) throw invalid(field, 'is an invalid Date');
  return instant;
}
