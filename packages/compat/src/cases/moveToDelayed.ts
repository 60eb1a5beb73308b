import { moveToDelayed as delayJob } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored, TOKEN } from './jobs.js';

/** A worker's own delay of job 1, which counts no attempt. */
function delayCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  { token = TOKEN, delay = 10_000 } = {},
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      const until = { delayMs: delay };
      await delayJob(store, queue, { jobId: '1', token, until, skipAttempt: true }, NOW);
    },
    bullmq: async (site) => {
      const job = await site.job('1');
      await job.moveToDelayed(NOW + delay, token);
    },
  };
}

/** Delays of active jobs. With an attempt counted they are the retries of moveToFinished. */
export const moveToDelayed: TransitionCases = {
  transition: 'moveToDelayed',
  cases: [
    delayCase('for a while', () => ({ main: oneRunning() })),
    delayCase('in the millisecond of another', () => ({
      main: oneRunning({}, { delayed: { 2: (NOW + 10_000) * 4096 }, jobs: { 2: stored() } }),
    })),
    delayCase('with a priority', () => ({ main: oneRunning({ priority: 3 }) })),
    delayCase('for no time', () => ({ main: oneRunning() }), { delay: 0 }),
    delayCase('with others waiting', () => ({
      main: oneRunning({}, { wait: ['2'], jobs: { 2: stored() } }),
    })),
    delayCase('with others waiting under a global concurrency', () => ({
      main: oneRunning(
        {},
        { meta: { ...META, concurrency: '1' }, wait: ['2'], jobs: { 2: stored() } },
      ),
    })),
    delayCase('while paused', () => ({ main: oneRunning({}, { meta: { ...META, paused: '1' } }) })),
    delayCase('by a stranger', () => ({ main: oneRunning() }), { token: 'other' }),
    delayCase('of a job that is not active', () => ({
      main: { ...oneRunning(), active: [], wait: ['1'] },
    })),
  ],
};
