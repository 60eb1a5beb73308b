import { moveJobsToWait as move } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, stored } from './jobs.js';

interface Bulk {
  readonly state: 'completed' | 'failed' | 'delayed';
  readonly count?: number;
  readonly timestamp?: number;
}

/** All batches, as BullMQ's client goes on until nothing is left. */
function bulkCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  { state, count = 1_000, timestamp = NOW }: Bulk,
): OracleCase {
  const bound = state === 'delayed' ? {} : { maxScore: timestamp };
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      let more = true;
      while (more) ({ more } = await move(store, queue, { state, limit: count, ...bound }));
    },
    bullmq: (site) =>
      state === 'delayed'
        ? site.queue.promoteJobs({ count })
        : site.queue.retryJobs({ state, count, timestamp }),
  };
}

const ended = { ats: 2, atm: 2, processedOn: 7, finishedOn: 8 };

/** Bulk retries and promotions. */
export const moveJobsToWait: TransitionCases = {
  transition: 'moveJobsToWait',
  cases: [
    bulkCase(
      'of failed jobs, in batches',
      () => ({
        main: {
          meta: META,
          wait: ['9'],
          failed: { 1: 5, 2: 6, 3: 7 },
          jobs: {
            1: stored({ ...ended, failedReason: 'a' }),
            2: stored({ ...ended, failedReason: 'b' }),
            3: stored({ ...ended, failedReason: 'c' }),
            9: stored(),
          },
        },
      }),
      { state: 'failed', count: 2 },
    ),
    bulkCase(
      'of failed jobs up to a moment',
      () => ({
        main: { meta: META, failed: { 1: 5, 2: 6 }, jobs: { 1: stored(ended), 2: stored(ended) } },
      }),
      { state: 'failed', timestamp: 5 },
    ),
    bulkCase(
      'of completed jobs',
      () => ({
        main: {
          meta: META,
          completed: { 1: 5 },
          jobs: { 1: stored({ ...ended, returnvalue: '7' }) },
        },
      }),
      { state: 'completed' },
    ),
    bulkCase(
      'of a failed child',
      (names) => ({
        main: {
          meta: META,
          failed: { 1: 5 },
          jobs: { 1: stored({ ...ended, ...childOf(names.other, 'p', { idof: true }) }) },
        },
        other: {
          meta: META,
          'waiting-children': { p: 1 },
          jobs: { p: stored() },
          'p:failed': { [`${names.main}:1`]: 'a' },
        },
      }),
      { state: 'failed' },
    ),
    bulkCase(
      'of failed jobs with priorities',
      () => ({
        main: { meta: META, failed: { 1: 5 }, jobs: { 1: stored({ ...ended, priority: 3 }) } },
      }),
      { state: 'failed' },
    ),
    bulkCase(
      'of delayed jobs',
      () => ({
        main: {
          meta: META,
          delayed: { 1: 5 * 4096, 2: (NOW + 9) * 4096 },
          jobs: { 1: stored({ delay: 4 }), 2: stored({ delay: 9 }) },
        },
      }),
      { state: 'delayed' },
    ),
    bulkCase(
      'of delayed jobs with priorities',
      () => ({
        main: {
          meta: META,
          delayed: { 1: 5 * 4096 },
          jobs: { 1: stored({ delay: 4, priority: 2 }) },
        },
      }),
      { state: 'delayed' },
    ),
    bulkCase(
      'while paused',
      () => ({
        main: { meta: { ...META, paused: '1' }, failed: { 1: 5 }, jobs: { 1: stored(ended) } },
      }),
      { state: 'failed' },
    ),
    bulkCase('of nothing', () => ({ main: { meta: META } }), { state: 'failed' }),
  ],
};
