import { moveJobFromActiveToWait as release } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored, TOKEN } from './jobs.js';

/** Job 1 given back unrun. The reply is for how many tens of seconds the queue is limited. */
function releaseCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  token = TOKEN,
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) =>
      Math.ceil(Number(await release(store, queue, { jobId: '1', token })) / 10_000),
    bullmq: async (site) => Math.ceil((await (await site.job('1')).moveToWait(token)) / 10_000),
  };
}

/** Jobs given back by their workers. */
export const moveJobFromActiveToWait: TransitionCases = {
  transition: 'moveJobFromActiveToWait',
  cases: [
    releaseCase('to the front', () => ({
      main: oneRunning({}, { wait: ['3', '2'], jobs: { 2: stored(), 3: stored() } }),
    })),
    releaseCase('with a priority', () => ({ main: oneRunning({ priority: 5 }, { pc: 3 }) })),
    releaseCase('under a limit', () => ({
      main: oneRunning({}, { limiter: '3', ttls: { limiter: 20_000 } }),
    })),
    releaseCase('while paused', () => ({
      main: oneRunning({}, { meta: { ...META, paused: '1' } }),
    })),
    releaseCase('at the global concurrency', () => ({
      main: oneRunning({}, { meta: { ...META, concurrency: '1' } }),
    })),
    releaseCase('by a stranger', () => ({ main: oneRunning() }), 'other'),
    releaseCase('by a former owner', () => ({ main: { ...oneRunning(), locks: {} } })),
    releaseCase('of a job that is not active', () => ({
      main: { ...oneRunning(), active: [], wait: ['1'] },
    })),
  ],
};
