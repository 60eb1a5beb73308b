import { addJobScheduler as upsert } from '@echomq/core';
import type { RepeatOptions } from 'bullmq';
import {
  type BullSite,
  type EchoSite,
  NOW,
  type OracleCase,
  type TransitionCases,
} from '../oracle/oracle-case.js';
import { META, stored, storedOptions } from './jobs.js';

import {
  AHEAD,
  CRON,
  EVERY,
  HOUR,
  type Plan,
  runId,
  standing,
  templateOf,
} from './scheduler-plan.js';

async function echoUpsert({ store, queue }: EchoSite, plan: Plan): Promise<string> {
  const { options, nextDueAt, data = { x: 'a/b' }, ...schedule } = plan;
  const { jobId } = await upsert(
    store,
    queue,
    {
      schedulerId: 's',
      schedule: {
        name: 'send',
        ...schedule,
        ...(options ? { opts: JSON.stringify(storedOptions(options)) } : {}),
        data: JSON.stringify(data),
      },
      template: templateOf(plan),
      ...(nextDueAt === undefined ? {} : { nextDueAt }),
    },
    NOW,
  );
  return jobId;
}

async function bullUpsert(site: BullSite, plan: Plan): Promise<string | undefined> {
  const { options, nextDueAt: _next, data = { x: 'a/b' }, ...repeat } = plan;
  const template = { name: 'send', data, ...(options ? { opts: options } : {}) };
  const job = await site.queue.upsertJobScheduler('s', repeat as RepeatOptions, template as object);
  return job?.id;
}

function upsertCase(
  name: string,
  plan: Plan,
  seed: NonNullable<OracleCase['seed']> = () => ({}),
): OracleCase {
  return {
    name,
    seed,
    echomq: (site) => echoUpsert(site, plan),
    bullmq: (site) => bullUpsert(site, plan),
  };
}

/** Schedulers created and changed. */
export const addJobScheduler: TransitionCases = {
  transition: 'addJobScheduler',
  cases: [
    upsertCase('every ten seconds', EVERY),
    upsertCase('every seven seconds, whose slots do not meet now', { every: 7_000 }),
    upsertCase('every ten seconds with a template', {
      ...EVERY,
      options: { attempts: 3, priority: 2, removeOnComplete: true },
    }),
    upsertCase('every ten seconds with an offset', { ...EVERY, offset: 3_000 }),
    upsertCase('every ten seconds from a date', { ...EVERY, startDate: NOW + 60_000 }),
    upsertCase('every ten seconds until a date, so many times', {
      ...EVERY,
      endDate: NOW + 600_000,
      limit: 5,
    }),
    upsertCase('by a pattern', CRON),
    upsertCase('by a pattern in a zone', { ...CRON, tz: 'Europe/Berlin' }),
    upsertCase('by a pattern, with a template', {
      ...CRON,
      options: { attempts: 3 },
      data: { y: 1 },
    }),
    upsertCase('while paused', EVERY, () => ({ main: { meta: { ...META, paused: '1' } } })),
    upsertCase(
      'again, the run delayed',
      EVERY,
      standing(AHEAD, { delayed: { [runId(AHEAD)]: AHEAD * 4096 } }),
    ),
    upsertCase('again, the run waiting', EVERY, standing(NOW - 5, { wait: [runId(NOW - 5)] })),
    upsertCase(
      'again, the run prioritized',
      EVERY,
      standing(NOW - 5, { prioritized: { [runId(NOW - 5)]: 5 } }, META, { priority: 3 }),
    ),
    upsertCase('again, the run active', EVERY, standing(NOW - 5, { active: [runId(NOW - 5)] })),
    upsertCase(
      'again, the run ended long ago',
      EVERY,
      standing(NOW - 95_000, { completed: { [runId(NOW - 95_000)]: 5 } }),
    ),
    upsertCase(
      'again with another span, the run delayed',
      { every: 20_000 },
      standing(AHEAD, { delayed: { [runId(AHEAD)]: AHEAD * 4096 } }),
    ),
    upsertCase(
      'again by a pattern, the run delayed',
      CRON,
      standing(HOUR, { delayed: { [runId(HOUR)]: HOUR * 4096 } }),
    ),
    upsertCase(
      'again by a pattern, the run waiting while paused',
      CRON,
      standing(NOW - 5, { wait: [runId(NOW - 5)] }, { ...META, paused: '1' }),
    ),
    upsertCase(
      'again, the run waiting while paused',
      EVERY,
      standing(NOW - 5, { wait: [runId(NOW - 5)] }, { ...META, paused: '1' }),
    ),
    upsertCase('by a pattern whose run exists', CRON, () => ({
      main: { meta: META, completed: { [runId(HOUR)]: 5 }, jobs: { [runId(HOUR)]: stored() } },
    })),
    upsertCase('every ten seconds when the slot is taken', EVERY, () => ({
      main: { meta: META, completed: { [runId(NOW)]: 5 }, jobs: { [runId(NOW)]: stored() } },
    })),
  ],
};
