import { InvalidRequest } from '@echomq/core';
import { CronExpressionParser } from 'cron-parser';
import { changesOddly, fromWall, toWall } from './wall-clock.js';

/** A cron rule with its zone and bounds. Instants in ms since the epoch. */
export interface CronRule {
  /** Five fields, or six with seconds first; also `@daily` and the like. */
  readonly pattern: string;
  /** IANA name; absent: UTC. */
  readonly timeZone?: string;
  readonly startAt?: number;
  readonly endAt?: number;
}

/**
 * The rule's first instant strictly after `after` (and not before its start), or `undefined` when none is left before
 * its end.
 *
 * Where clocks change, one run per local occurrence: a run inside the hour that is skipped comes at the same minute of
 * the hour after it (of several such runs one is made), a run inside the hour that is repeated comes the first time
 * only. A rule for every hour (`*`) goes by elapsed hours instead: it skips nothing and runs in both. Where clocks change
 * by other than an hour (Australia/Lord_Howe, Antarctica/Troll), every rule goes by the clock, and a run that is skipped
 * comes so much later.
 *
 * @throws InvalidRequest CRON_INVALID for a pattern or a zone that is none; `field` is the schedule's path.
 */
export function nextCron(
  rule: CronRule,
  after: number,
  field = 'schedule.cron',
): number | undefined {
  const from = Math.max(after, (rule.startAt ?? 0) - 1);
  checkZone(rule.timeZone, `${field}.time_zone`);
  checkPattern(rule.pattern, `${field}.expression`);
  try {
    const zone = rule.timeZone ?? 'UTC';
    const due = changesOddly(zone, from)
      ? nextByWall(rule.pattern, zone, from)
      : next(rule.pattern, zone, from);
    return rule.endAt !== undefined && due > rule.endAt ? undefined : due;
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'cannot be read';
    throw new InvalidRequest(`${field}.expression`, problem.slice(0, 200), 'CRON_INVALID');
  }
}

function next(pattern: string, tz: string, currentDate: number): number {
  return CronExpressionParser.parse(pattern, { currentDate, tz }).next().getTime();
}

/** Where clocks change by half an hour the parser finds no end, where by two it runs twice: it reads the wall's clock there. */
function nextByWall(pattern: string, zone: string, from: number): number {
  let wall = toWall(zone, from);
  for (;;) {
    wall = next(pattern, 'UTC', wall);
    const due = fromWall(zone, wall);
    // What clocks show for the second time, or skip, may be an instant that has passed.
    if (due > from) return due;
  }
}

/** The parser takes less than five fields and fills them up; a forgotten field would run each second. */
function checkPattern(pattern: string, field: string): void {
  const text = pattern.trim();
  const fields = text.split(/\s+/).length;
  if (pattern.length > 256 || (!text.startsWith('@') && fields !== 5 && fields !== 6)) {
    throw new InvalidRequest(field, 'must have five fields, or six with seconds', 'CRON_INVALID');
  }
  // The parser draws a value for it anew at each reading: no two readings would agree.
  if (/(^|[\s,])H/.test(text)) {
    throw new InvalidRequest(field, 'must not leave a field to chance (H)', 'CRON_INVALID');
  }
}

function checkZone(timeZone: string | undefined, field: string): void {
  if (timeZone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new InvalidRequest(field, 'is no known time zone', 'CRON_INVALID');
  }
}
