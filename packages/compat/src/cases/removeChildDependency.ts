import { removeChildDependency as removeDependency } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, oneRunning, stored } from './jobs.js';

function cutCase(name: string, seed: NonNullable<OracleCase['seed']>): OracleCase {
  return {
    name,
    seed,
    echomq: ({ store, queue, names }) =>
      removeDependency(store, queue, { jobId: '1', parentKey: `${names.other}:p` }),
    bullmq: async (site) => (await site.job('1')).removeChildDependency(),
  };
}

/** Ties cut by hand. */
export const removeChildDependency: TransitionCases = {
  transition: 'removeChildDependency',
  cases: [
    cutCase('of the last child', (names) => ({
      main: oneRunning(childOf(names.other, 'p')),
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:dependencies': [`${names.main}:1`],
      },
    })),
    cutCase('of one of two', (names) => ({
      main: oneRunning(childOf(names.other, 'p')),
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:dependencies': [`${names.main}:1`, `${names.main}:2`],
      },
    })),
    cutCase('of a child that is not pending', (names) => ({
      main: oneRunning(childOf(names.other, 'p')),
      other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
    })),
    cutCase('of a child whose parent is gone', (names) => ({
      main: oneRunning(childOf(names.other, 'p')),
    })),
  ],
};
