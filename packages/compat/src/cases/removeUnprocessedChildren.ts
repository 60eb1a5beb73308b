import { removeUnprocessedChildren as removeChildren } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, oneRunning, stored } from './jobs.js';

function childrenCase(name: string, seed: NonNullable<OracleCase['seed']>): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => void (await removeChildren(store, queue, '1')),
    bullmq: async (site) => (await site.job('1')).removeUnprocessedChildren(),
  };
}

/** Pending children removed. */
export const removeUnprocessedChildren: TransitionCases = {
  transition: 'removeUnprocessedChildren',
  cases: [
    childrenCase('of every kind', (names) => ({
      main: {
        meta: META,
        'waiting-children': { 1: 5 },
        jobs: { 1: stored() },
        '1:dependencies': [`${names.other}:a`, `${names.other}:f`],
        '1:processed': { [`${names.other}:b`]: '1' },
      },
      other: {
        meta: META,
        wait: ['a'],
        completed: { b: 5 },
        failed: { f: 6 },
        jobs: Object.fromEntries(
          ['a', 'b', 'f'].map((id) => [id, stored(childOf(names.main, '1'))]),
        ),
      },
    })),
    childrenCase('with one that runs', (names) => ({
      main: {
        meta: META,
        'waiting-children': { 1: 5 },
        jobs: { 1: stored() },
        '1:dependencies': [`${names.other}:a`],
      },
      other: {
        meta: META,
        active: ['a'],
        locks: { a: 't' },
        jobs: { a: stored(childOf(names.main, '1')) },
      },
    })),
    childrenCase('of which one is left to remove', (names) => ({
      main: {
        meta: META,
        'waiting-children': { 1: 5 },
        jobs: { 1: stored() },
        '1:dependencies': [`${names.other}:a`],
      },
      other: {
        meta: META,
        delayed: { a: 5 * 4096 },
        jobs: { a: stored(childOf(names.main, '1')) },
      },
    })),
    childrenCase('of a job without any', () => ({ main: oneRunning() })),
  ],
};
