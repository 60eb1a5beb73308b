import type { TransitionCases } from '../oracle/oracle-case.js';
import { deduplicated } from './deduplication.js';
import { addCase, childOf, META, stored } from './jobs.js';

/** Adds without delay and priority. */
export const addStandardJob: TransitionCases = {
  transition: 'addStandardJob',
  cases: [
    addCase('into an empty queue', {}),
    addCase(
      'behind others',
      {},
      { main: { meta: META, id: 4, wait: ['4'], jobs: { 4: stored() } } },
    ),
    addCase('as the next to run', { lifo: true }, { main: { meta: META, id: 4, wait: ['4'] } }),
    addCase('with an id of its own', { jobId: 'my job' }, { main: { meta: META } }),
    addCase('with options of every kind', {
      attempts: 3,
      backoff: { type: 'exponential', delay: 100, jitter: 0.5 },
      removeOnComplete: { age: 3600, count: 10 },
      removeOnFail: 5,
      keepLogs: 7,
      stackTraceLimit: 2,
      sizeLimit: 1_000,
      timestamp: 1_600_000_000_000,
    }),
    addCase('while paused', {}, { main: { meta: { ...META, paused: '1' } } }),
    addCase(
      'while paused, with jobs that a peer of release 5 parked',
      {},
      { main: { meta: { ...META, paused: '1' }, paused: ['x'], jobs: { x: stored() } } },
    ),
    addCase(
      'with jobs that were parked and never merged',
      {},
      { main: { meta: META, paused: ['x'], jobs: { x: stored() } } },
    ),
    addCase(
      'at the global concurrency',
      {},
      {
        main: { id: 1, meta: { ...META, concurrency: '1' }, active: ['1'], jobs: { 1: stored() } },
      },
    ),
    addCase(
      'below the global concurrency',
      {},
      {
        main: { id: 1, meta: { ...META, concurrency: '2' }, active: ['1'], jobs: { 1: stored() } },
      },
    ),
    addCase(
      'under an id that exists',
      { jobId: 'a' },
      { main: { meta: META, wait: ['a'], jobs: { a: stored({ data: { old: true } }) } } },
    ),
    addCase(
      'as a child of a parent in another queue',
      (names) => ({ parent: { id: 'p', queue: names.other } }),
      { other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } } },
    ),
    addCase(
      'as a child with a policy',
      (names) => ({ parent: { id: 'p', queue: names.main }, failParentOnFailure: true }),
      { main: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } } },
    ),
    addCase('as a child of a parent that is missing', (names) => ({
      parent: { id: 'p', queue: names.other },
    })),
    addCase(
      'as a child that exists and has no parent',
      (names) => ({ jobId: 'c', parent: { id: 'p', queue: names.other } }),
      {
        main: { meta: META, wait: ['c'], jobs: { c: stored() } },
        other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
      },
    ),
    addCase(
      'as a child that has completed already',
      (names) => ({ jobId: 'c', parent: { id: 'p', queue: names.other } }),
      {
        main: { meta: META, completed: { c: 9 }, jobs: { c: stored({ returnvalue: '{"x":1}' }) } },
        other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
      },
    ),
    addCase(
      'as a child that belongs to another living parent',
      (names) => ({ jobId: 'c', parent: { id: 'p', queue: names.other } }),
      (names) => ({
        main: { meta: META, wait: ['c'], jobs: { c: stored(childOf(names.other, 'q')) } },
        other: {
          meta: META,
          'waiting-children': { p: 5, q: 6 },
          jobs: { p: stored(), q: stored() },
          'q:dependencies': [`${names.main}:c`],
        },
      }),
    ),
    addCase(
      'as a child whose former parent is gone',
      (names) => ({ jobId: 'c', parent: { id: 'p', queue: names.other } }),
      (names) => ({
        main: { meta: META, wait: ['c'], jobs: { c: stored(childOf(names.other, 'q')) } },
        other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } },
      }),
    ),
    addCase(
      'with a number under which a job exists',
      {},
      {
        main: { meta: META, wait: ['1'], jobs: { 1: stored() } },
      },
    ),
    addCase('with options that another encoder would change', {
      // Unknown options are kept as they are.
      ...({ list: [], nothing: null, large: 2 ** 53 } as object),
    }),
    ...deduplicated,
  ],
};
