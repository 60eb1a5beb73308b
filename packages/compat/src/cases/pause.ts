import { pause as pauseQueue } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { META, stored } from './jobs.js';

type Seed = NonNullable<OracleCase['seed']>;

function pauseCase(name: string, seed: Seed): OracleCase {
  return {
    name,
    seed,
    echomq: ({ store, queue }) => pauseQueue(store, queue),
    bullmq: (site) => site.queue.pause(),
  };
}

const jobs = { 1: stored(), 2: stored() };

const PAUSED = { ...META, paused: '1' };

/** Queues paused. */
export const pause: TransitionCases = {
  transition: 'pause',
  cases: [
    pauseCase('with jobs', () => ({
      main: { meta: META, wait: ['2', '1'], jobs, marker: { 0: 0, 1: 5 } },
    })),
    pauseCase('without jobs', () => ({ main: { meta: META } })),
    pauseCase('twice', () => ({ main: { meta: PAUSED, wait: ['1'], jobs } })),
  ],
};
