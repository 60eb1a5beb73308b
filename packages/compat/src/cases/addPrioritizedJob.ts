import type { TransitionCases } from '../oracle/oracle-case.js';
import { addCase, META, stored } from './jobs.js';

/** Adds with a priority. */
export const addPrioritizedJob: TransitionCases = {
  transition: 'addPrioritizedJob',
  cases: [
    addCase('into an empty queue', { priority: 1 }),
    addCase(
      'behind its equals',
      { priority: 5 },
      {
        main: { meta: META, pc: 8, prioritized: { x: 5 * 2 ** 32 + 8 }, jobs: { x: stored() } },
      },
    ),
    addCase('with the largest priority', { priority: 2_097_151 }),
    addCase('with lifo, which counts only without a priority', { priority: 3, lifo: true }),
    addCase('while paused', { priority: 3 }, { main: { meta: { ...META, paused: '1' } } }),
    addCase('with an id of its own', { priority: 3, jobId: 'mine' }),
    addCase(
      'with an id that exists',
      { priority: 3, jobId: 'a' },
      {
        main: { meta: META, completed: { a: 5 }, jobs: { a: stored() } },
      },
    ),
    addCase('as a child', (names) => ({ priority: 3, parent: { id: 'p', queue: names.other } }), {
      other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
    }),
  ],
};
