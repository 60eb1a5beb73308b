import { promote as promoteNow } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored } from './jobs.js';

const due = (ms: number) => (NOW + ms) * 4096;

function promoteCase(name: string, seed: NonNullable<OracleCase['seed']>): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => void (await promoteNow(store, queue, '1')),
    bullmq: async (site) => (await site.job('1')).promote(),
  };
}

/** Delayed jobs made ready by hand. */
export const promote: TransitionCases = {
  transition: 'promote',
  cases: [
    promoteCase('of one of two', () => ({
      main: {
        meta: META,
        delayed: { 1: due(10_000), 2: due(20_000) },
        jobs: { 1: stored({ delay: 70_000 }), 2: stored() },
        marker: { 1: NOW + 10_000 },
      },
    })),
    promoteCase('with a priority', () => ({
      main: {
        meta: META,
        pc: 1,
        delayed: { 1: due(9) },
        jobs: { 1: stored({ delay: 9, priority: 3 }) },
      },
    })),
    promoteCase('of a lifo job', () => ({
      main: {
        meta: META,
        wait: ['2'],
        delayed: { 1: due(9) },
        jobs: { 1: stored({ delay: 9, opts: { lifo: true } }), 2: stored() },
      },
    })),
    promoteCase('while paused', () => ({
      main: {
        meta: { ...META, paused: '1' },
        delayed: { 1: due(9) },
        jobs: { 1: stored({ delay: 9 }) },
      },
    })),
    promoteCase('while paused, with jobs that a peer of release 5 parked', () => ({
      main: {
        meta: { ...META, paused: '1' },
        paused: ['x'],
        delayed: { 1: due(9) },
        jobs: { 1: stored({ delay: 9 }), x: stored() },
      },
    })),
    promoteCase('of a job that is not delayed', () => ({ main: oneRunning() })),
  ],
};
