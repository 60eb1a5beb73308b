import { obliterate as obliterateQueue, pause } from '@echomq/core';
import type { QueueState } from '@echomq/testkit';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored } from './jobs.js';

type Seed = NonNullable<OracleCase['seed']>;

const scheduler: QueueState = {
  repeat: { s: NOW },
  'repeat:s': { name: 'send', ic: 1, every: 1_000 },
};

function obliterateCase(name: string, seed: Seed, force = false): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      await pause(store, queue);
      await obliterateQueue(store, queue, force);
    },
    bullmq: (site) => site.queue.obliterate({ force }),
  };
}

/** Queues removed whole. */
export const obliterate: TransitionCases = {
  transition: 'obliterate',
  cases: [
    obliterateCase('of a queue with jobs everywhere', () => ({
      main: {
        meta: META,
        id: 9,
        pc: 3,
        wait: ['1'],
        prioritized: { 2: 5 },
        delayed: { 3: 6 },
        completed: { 4: 7 },
        failed: { 5: 8 },
        'stalled-check': '5',
        stalled: ['1'],
        marker: { 0: 0 },
        'metrics:completed': { count: 1 },
        'metrics:completed:data': ['1'],
        ...scheduler,
        'de:d': '1',
        '1:logs': ['row'],
        jobs: { 1: stored({ deid: 'd' }), 2: stored(), 3: stored(), 4: stored(), 5: stored() },
        events: [{ event: 'added', jobId: '1' }],
      },
    })),
    obliterateCase('of a queue with active jobs, forced', () => ({ main: oneRunning() }), true),
    obliterateCase('of a queue with a parent that waits', () => ({
      main: {
        meta: META,
        'waiting-children': { 1: 5 },
        jobs: { 1: stored() },
        '1:dependencies': ['x'],
      },
    })),
    obliterateCase('of a queue with a limiter and lone deduplication ids', () => ({
      main: {
        meta: META,
        limiter: '5',
        ttls: { limiter: 20_000 },
        'de:d': '1',
        'dn:d': { name: 'x' },
      },
    })),
  ],
};
