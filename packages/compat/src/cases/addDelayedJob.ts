import { NOW, type TransitionCases } from '../oracle/oracle-case.js';
import { addCase, META, stored } from './jobs.js';

const due = (NOW + 10_000) * 4096;

/** Adds that are due later. */
export const addDelayedJob: TransitionCases = {
  transition: 'addDelayedJob',
  cases: [
    addCase('into an empty queue', { delay: 10_000 }),
    addCase(
      'in the millisecond of another',
      { delay: 10_000 },
      { main: { meta: META, delayed: { x: due, y: due + 1 }, jobs: { x: stored(), y: stored() } } },
    ),
    addCase(
      'in a full millisecond',
      { delay: 10_000 },
      { main: { meta: META, delayed: { x: due + 4095 }, jobs: { x: stored() } } },
    ),
    addCase(
      'before one that is due later',
      { delay: 10_000 },
      { main: { meta: META, delayed: { x: due * 1.5 }, marker: { 1: (due * 1.5) / 4096 } } },
    ),
    addCase('with a priority', { delay: 10_000, priority: 7 }),
    addCase('while paused', { delay: 10_000 }, { main: { meta: { ...META, paused: '1' } } }),
    addCase(
      'with an id that exists',
      { delay: 10_000, jobId: 'a' },
      {
        main: { meta: META, wait: ['a'], jobs: { a: stored() } },
      },
    ),
    addCase('as a child', (names) => ({ delay: 10_000, parent: { id: 'p', queue: names.other } }), {
      other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
    }),
  ],
};
