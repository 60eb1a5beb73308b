import { moveToActive as fetchJob, updateJobScheduler as makeNext } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, running, stored, storedOptions } from './jobs.js';

import {
  CRON,
  EVERY,
  type Plan,
  record,
  runId,
  templateOf,
  withoutBraces,
} from './scheduler-plan.js';

function nextCase(name: string, plan: Plan, seed: NonNullable<OracleCase['seed']>): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      const found = await fetchJob(store, queue, { token: 't', lockDuration: 30_000 }, NOW);
      if (found.kind !== 'job') return null;
      const { nextDueAt } = plan;
      await makeNext(
        store,
        queue,
        {
          schedulerId: 's',
          jobId: found.job.id,
          // What the run itself has.
          template: { ...templateOf(plan), head: withoutBraces(storedOptions(plan.options ?? {})) },
          ...(nextDueAt === undefined ? {} : { nextDueAt }),
        },
        NOW,
      );
      return found.job.id;
    },
    bullmq: async (site) => (await site.worker().getNextJob('t', { block: false }))?.id ?? null,
  };
}

/** A run that waits; its own options carry what the next is made from. */
const taken =
  (
    due: number,
    { repeat, extra = {}, scheduled = {} }: { repeat: object; extra?: object; scheduled?: object },
  ) =>
  () => ({
    main: {
      meta: META,
      id: 5,
      repeat: { s: due },
      'repeat:s': { name: 'send', ic: 3, data: '{"x":"a/b"}', ...scheduled },
      wait: [runId(due)],
      jobs: {
        [runId(due)]: stored({
          data: { x: 'a/b' },
          rjk: 's',
          opts: {
            attempts: 0,
            repeat: { ...repeat, count: 3 },
            jobId: runId(due),
            delay: 0,
            timestamp: due,
            repeatJobKey: 's',
            ...extra,
          },
        }),
      },
    } as never,
  });

/** The next run, made when one is fetched. */
export const updateJobScheduler: TransitionCases = {
  transition: 'updateJobScheduler',
  cases: [
    nextCase(
      'every ten seconds',
      EVERY,
      taken(NOW - 5, {
        repeat: { every: 10_000, offset: 5 },
        scheduled: { every: 10_000, offset: 5 },
      }),
    ),
    nextCase(
      'every ten seconds, with an offset of the schedule alone',
      EVERY,
      taken(NOW - 5, {
        repeat: { every: 10_000 },
        scheduled: { every: 10_000, offset: 9_995 },
      }),
    ),
    nextCase(
      'every ten seconds, set again since its first runs',
      EVERY,
      taken(NOW - 5, {
        repeat: { every: 10_000 },
        scheduled: { every: 10_000, offset: 9_995, ic: 9 },
      }),
    ),
    nextCase(
      'every ten seconds after a pause of minutes',
      EVERY,
      taken(NOW - 95_000, {
        repeat: { every: 10_000, offset: 0 },
        scheduled: { every: 10_000, offset: 0 },
      }),
    ),
    nextCase(
      'by a pattern',
      CRON,
      taken(NOW - 1_200_000, {
        repeat: { pattern: '0 0 * * * *' },
        scheduled: { pattern: '0 0 * * * *' },
        extra: { prevMillis: NOW - 1_200_000 },
      }),
    ),
    nextCase('of a scheduler that is gone', EVERY, () => ({
      main: {
        meta: META,
        wait: [runId(NOW)],
        jobs: {
          [runId(NOW)]: stored({
            rjk: 's',
            opts: { attempts: 0, repeat: { every: 10_000, count: 1 }, repeatJobKey: 's' },
          }),
        },
      },
    })),
    nextCase('of an older run', EVERY, () => ({
      main: {
        meta: META,
        repeat: { s: NOW + 5_000 },
        'repeat:s': record,
        wait: [runId(NOW - 5)],
        jobs: {
          [runId(NOW - 5)]: stored({
            rjk: 's',
            opts: { attempts: 0, repeat: { every: 10_000, count: 1 }, repeatJobKey: 's' },
          }),
        },
      },
    })),
    nextCase('when the next exists', EVERY, () => {
      const main = taken(NOW - 5, {
        repeat: { every: 10_000, offset: 5 },
        scheduled: { every: 10_000, offset: 5 },
      })().main as { jobs: object };
      const next = runId(NOW + 9_995);
      return {
        main: {
          ...main,
          completed: { [next]: 9 },
          jobs: { ...main.jobs, [next]: running() },
        } as never,
      };
    }),
  ],
};
