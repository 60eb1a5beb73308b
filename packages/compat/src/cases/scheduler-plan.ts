import type { JobsOptions } from 'bullmq';
import { NOW } from '../oracle/oracle-case.js';
import { META, stored } from './jobs.js';

/** A scheduler `s` as a case describes it. */
export interface Plan {
  readonly every?: number;
  readonly pattern?: string;
  /** The due time of a pattern, which the client computes. */
  readonly nextDueAt?: number;
  readonly tz?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly startDate?: number;
  readonly endDate?: number;
  readonly options?: JobsOptions;
  readonly data?: unknown;
}

/** The full hour after NOW. */
export const HOUR = 1_700_002_800_000;

/** A JSON object without its braces. */
export function withoutBraces(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

/** What the runs are made from. */
export function templateOf({
  options = {},
  data = { x: 'a/b' },
  every,
  pattern,
  tz,
  limit,
  startDate,
  endDate,
}: Plan) {
  const repeat = { every, pattern, tz, limit, startDate, endDate };
  return {
    head: withoutBraces(options),
    repeatHead: withoutBraces(repeat),
    jsonId: 's',
    data: JSON.stringify(data),
    ...(options.priority ? { priority: options.priority } : {}),
  };
}

/** Every ten seconds. */
export const EVERY: Plan = { every: 10_000 };
/** Every full hour. */
export const CRON: Plan = { pattern: '0 0 * * * *', nextDueAt: HOUR };
/** A stored scheduler of ten seconds. */
export const record = { name: 'send', every: 10_000, offset: 0, ic: 3, data: '{"old":1}' };
/** A run's id. */
export const runId = (due: number) => `repeat:s:${due}`;

/** A scheduler of 10 s whose next run stands somewhere. */
export const standing =
  (due: number, place: object, meta: object = META, fields = {}) =>
  () => ({
    main: {
      meta,
      id: 5,
      repeat: { s: due },
      'repeat:s': record,
      ...place,
      jobs: { [runId(due)]: stored({ rjk: 's', ...fields }) },
    } as never,
  });
/** A due time that is near. */
export const AHEAD = NOW + 5_000;

/** Schedulers created and changed. */
