import { drain as drainQueue } from '@echomq/core';
import type { QueueState } from '@echomq/testkit';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, stored } from './jobs.js';

type Seed = NonNullable<OracleCase['seed']>;

function drainCase(name: string, seed: Seed, delayed = false): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => void (await drainQueue(store, queue, delayed)),
    bullmq: (site) => site.queue.drain(delayed),
  };
}

const run = `repeat:s:${NOW}`;

const scheduler: QueueState = {
  repeat: { s: NOW },
  'repeat:s': { name: 'send', ic: 1, every: 1_000 },
};

const full = (names: { main: string }): QueueState => ({
  meta: META,
  wait: ['2', '1'],
  paused: ['3'],
  prioritized: { 4: 5 },
  delayed: { 5: 6 },
  active: ['6'],
  completed: { 7: 8 },
  'waiting-children': { 8: 9 },
  '8:dependencies': [`${names.main}:9`],
  'de:d': '1',
  '1:logs': ['row'],
  jobs: {
    1: stored({ deid: 'd' }),
    2: stored(),
    3: stored(),
    4: stored(),
    5: stored(),
    6: stored(),
    7: stored(),
    8: stored(),
  },
});

/** Queues emptied. */
export const drain: TransitionCases = {
  transition: 'drain',
  cases: [
    drainCase('of what waits', (names) => ({ main: full(names) })),
    drainCase('of what waits and what is delayed', (names) => ({ main: full(names) }), true),
    drainCase('with the next run of a scheduler in wait', () => ({
      main: {
        meta: META,
        ...scheduler,
        wait: ['2', run, '1'],
        jobs: { 1: stored(), 2: stored(), [run]: stored({ rjk: 's' }) },
      },
    })),
    drainCase(
      'with the next run of a scheduler delayed',
      () => ({
        main: {
          meta: META,
          ...scheduler,
          delayed: { 1: 5, [run]: 6 },
          jobs: { 1: stored(), [run]: stored({ rjk: 's' }) },
        },
      }),
      true,
    ),
    drainCase('of the last child of a parent in the same queue', (names) => ({
      main: {
        meta: META,
        wait: ['1'],
        'waiting-children': { p: 5 },
        'p:dependencies': [`${names.main}:1`],
        jobs: { 1: stored(childOf(names.main, 'p')), p: stored() },
      },
    })),
    drainCase('of the last child of a parent in another queue', (names) => ({
      main: { meta: META, wait: ['1'], jobs: { 1: stored(childOf(names.other, 'p')) } },
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        'p:dependencies': [`${names.main}:1`],
        jobs: { p: stored() },
      },
    })),
  ],
};
