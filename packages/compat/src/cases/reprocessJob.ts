import { reprocessJob as reprocess } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, oneRunning, stored } from './jobs.js';

interface Again {
  readonly state?: 'completed' | 'failed';
  readonly reset?: boolean;
}

function againCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  { state = 'failed', reset = false }: Again = {},
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) =>
      void (await reprocess(store, queue, { jobId: '1', state, resetAttempts: reset })),
    bullmq: async (site) => {
      const job = await site.job('1');
      const both = { resetAttemptsMade: true, resetAttemptsStarted: true };
      await job.retry(state, reset ? both : {});
    },
  };
}

const ended = {
  ats: 2,
  atm: 2,
  processedOn: 7,
  finishedOn: 8,
  stacktrace: ['one', 'two'],
  failedReason: 'boom',
};
const done = { ats: 1, atm: 1, processedOn: 7, finishedOn: 8, returnvalue: '{"x":1}' };

/** Finished jobs that run again. */
export const reprocessJob: TransitionCases = {
  transition: 'reprocessJob',
  cases: [
    againCase('of a failed job', () => ({
      main: { meta: META, wait: ['2'], failed: { 1: 8 }, jobs: { 1: stored(ended), 2: stored() } },
    })),
    againCase(
      'of a failed job, with its attempts anew',
      () => ({
        main: { meta: META, failed: { 1: 8 }, jobs: { 1: stored(ended) } },
      }),
      { reset: true },
    ),
    againCase(
      'of a completed job',
      () => ({
        main: { meta: META, completed: { 1: 8 }, jobs: { 1: stored(done) } },
      }),
      { state: 'completed' },
    ),
    againCase('of a lifo job', () => ({
      main: {
        meta: META,
        wait: ['2'],
        failed: { 1: 8 },
        jobs: { 1: stored({ ...ended, opts: { lifo: true } }), 2: stored() },
      },
    })),
    againCase('with a priority', () => ({
      main: { meta: META, pc: 3, failed: { 1: 8 }, jobs: { 1: stored({ ...ended, priority: 4 }) } },
    })),
    againCase('while paused', () => ({
      main: { meta: { ...META, paused: '1' }, failed: { 1: 8 }, jobs: { 1: stored(ended) } },
    })),
    againCase('of a child that failed its parent', (names) => ({
      main: {
        meta: META,
        failed: { 1: 8 },
        jobs: { 1: stored({ ...ended, ...childOf(names.other, 'p', { fpof: true }) }) },
      },
      other: {
        meta: META,
        failed: { p: 9 },
        jobs: { p: stored() },
        'p:unsuccessful': { [`${names.main}:1`]: 8 },
      },
    })),
    againCase('of a child whose failure was ignored', (names) => ({
      main: {
        meta: META,
        failed: { 1: 8 },
        jobs: { 1: stored({ ...ended, ...childOf(names.other, 'p', { idof: true }) }) },
      },
      other: {
        meta: META,
        'waiting-children': { p: 9 },
        jobs: { p: stored() },
        'p:failed': { [`${names.main}:1`]: 'boom' },
      },
    })),
    againCase(
      'of a child that had completed',
      (names) => ({
        main: {
          meta: META,
          completed: { 1: 8 },
          jobs: { 1: stored({ ...done, ...childOf(names.other, 'p') }) },
        },
        other: {
          meta: META,
          'waiting-children': { p: 9 },
          jobs: { p: stored() },
          'p:processed': { [`${names.main}:1`]: '1' },
        },
      }),
      { state: 'completed' },
    ),
    againCase('of a job that is not failed', () => ({ main: oneRunning() })),
  ],
};
