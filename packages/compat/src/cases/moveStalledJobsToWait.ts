import { moveStalledJobsToWait as sweep } from '@echomq/core';
import type { QueueState } from '@echomq/testkit';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, oneRunning, running, stored } from './jobs.js';

/** One sweep. BullMQ carries a failure out when the job is next fetched: `then` fetches there. */
function sweepCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  maxStalledCount = 1,
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      await sweep(store, queue, { maxStalledCount, stalledInterval: 30_000 }, NOW);
    },
    bullmq: async (site) => {
      const worker = site.worker({ maxStalledCount, stalledInterval: 30_000 });
      // biome-ignore lint/complexity/useLiteralKeys: it is private, and nothing public sweeps once.
      await worker['moveStalledJobsToWait']();
    },
  };
}

const ownerless = (fields = {}, more: QueueState = {}): QueueState => {
  const { locks: _locks, ...state } = oneRunning(fields, { stalled: ['1'], ...more });
  return state;
};

/** The stalled sweep. */
export const moveStalledJobsToWait: TransitionCases = {
  transition: 'moveStalledJobsToWait',
  cases: [
    sweepCase('of a queue with nothing active', () => ({ main: { meta: META } })),
    sweepCase('that marks for the next', () => ({
      main: { ...oneRunning({}, { active: ['2', '1'], jobs: { 2: running() } }) },
    })),
    sweepCase('within the interval of another', () => ({
      main: ownerless({}, { 'stalled-check': '5', ttls: { 'stalled-check': 20_000 } }),
    })),
    sweepCase('of a job without an owner', () => ({ main: ownerless() })),
    sweepCase('of a job whose owner renews', () => ({
      main: oneRunning({}, { stalled: ['1'] }),
    })),
    sweepCase('of a job that has ended since', () => ({
      main: { meta: META, stalled: ['1'], completed: { 1: 5 }, jobs: { 1: stored() } },
    })),
    sweepCase('of a job with a priority', () => ({ main: ownerless({ priority: 4 }) })),
    sweepCase('with others waiting', () => ({
      main: ownerless({}, { wait: ['3', '2'], jobs: { 2: stored(), 3: stored() } }),
    })),
    sweepCase('while paused', () => ({ main: ownerless({}, { meta: { ...META, paused: '1' } }) })),
    sweepCase('while paused, with jobs that a peer of release 5 parked', () => ({
      main: ownerless({}, { meta: { ...META, paused: '1' }, paused: ['x'], jobs: { x: stored() } }),
    })),
    sweepCase('of a job over the limit', () => ({ main: ownerless({ stc: 1 }) })),
    sweepCase('of a child over the limit, with fpof', (names) => ({
      main: ownerless({ stc: 1, ...childOf(names.other, 'p', { fpof: true }) }),
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:dependencies': [`${names.main}:1`],
      },
    })),
    sweepCase('of a run over the limit whose scheduler lives', () => ({
      main: ownerless(
        { stc: 1, rjk: 's' },
        { repeat: { s: NOW }, 'repeat:s': { name: 'send', ic: 1, every: 1000 } },
      ),
    })),
    sweepCase('of an id without a job', () => ({
      main: { meta: META, active: ['1'], stalled: ['1'] },
    })),
  ],
};
