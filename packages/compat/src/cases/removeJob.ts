import { REJECTIONS, removeJob as remove, TransitionRejected } from '@echomq/core';
import type { QueueState } from '@echomq/testkit';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, oneRunning, stored } from './jobs.js';

/** The reply is 1, or 0 for a job that runs, as BullMQ's. */
function removeCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  { id = '1', removeChildren = true } = {},
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      try {
        await remove(store, queue, { jobId: id, removeChildren });
        return 1;
      } catch (error) {
        if (!(error instanceof TransitionRejected)) throw error;
        return error.reason === 'JOB_LOCKED' ? 0 : `refused ${REJECTIONS[error.reason]}`;
      }
    },
    bullmq: (site) => site.queue.remove(id, { removeChildren }),
  };
}

const at =
  (place: QueueState, fields = {}) =>
  () => ({
    main: { meta: META, jobs: { 1: stored(fields) }, ...place },
  });

/** Removal from every location. */
export const removeJob: TransitionCases = {
  transition: 'removeJob',
  cases: [
    removeCase(
      'from wait, with its keys',
      at({
        wait: ['2', '1'],
        '1:logs': ['row'],
        '1:processed': { 'bull:x:1': '1' },
        '1:failed': { 'bull:x:2': 'r' },
      }),
    ),
    removeCase('from prioritized', at({ prioritized: { 1: 5, 2: 6 } }, { priority: 3 })),
    removeCase('from delayed', at({ delayed: { 1: 5 } })),
    removeCase('from completed', at({ completed: { 1: 5 } })),
    removeCase('from failed', at({ failed: { 1: 5 } })),
    removeCase('from waiting-children', at({ 'waiting-children': { 1: 5 } })),
    removeCase('from the list of release 5', at({ paused: ['1', '2'] })),
    removeCase('of an active job without a lock', at({ active: ['1'], stalled: ['1'] })),
    removeCase(
      'of an active job without a lock, others waiting under a global concurrency',
      at({
        active: ['1'],
        wait: ['2'],
        meta: { ...META, concurrency: '1' },
      }),
    ),
    removeCase('of a running job', () => ({ main: oneRunning() })),
    removeCase('of a job in no location', at({})),
    removeCase('of an unknown id', () => ({ main: { meta: META } }), { id: 'nobody' }),
    removeCase(
      'of the owner of a deduplication id',
      at(
        { wait: ['1'], 'de:d': '1', 'dn:d': { name: 'x' }, ttls: { 'de:d': 20_000 } },
        { deid: 'd' },
      ),
    ),
    removeCase(
      'of one whose deduplication id another owns',
      at({ wait: ['1'], 'de:d': '2' }, { deid: 'd' }),
    ),
    removeCase(
      'of the next run of a scheduler',
      () => ({
        main: {
          meta: META,
          repeat: { s: NOW },
          'repeat:s': { name: 'send', ic: 1, every: 1000 },
          delayed: { [`repeat:s:${NOW}`]: NOW * 4096 },
          jobs: { [`repeat:s:${NOW}`]: stored({ rjk: 's' }) },
        },
      }),
      { id: `repeat:s:${NOW}` },
    ),
    removeCase(
      'of an older run of a scheduler',
      () => ({
        main: {
          meta: META,
          repeat: { s: NOW },
          'repeat:s': { name: 'send', ic: 1, every: 1000 },
          completed: { 'repeat:s:5': 5 },
          jobs: { 'repeat:s:5': stored({ rjk: 's' }) },
        },
      }),
      { id: 'repeat:s:5' },
    ),
    removeCase('of a parent with children of every kind', (names) => ({
      main: {
        meta: META,
        jobs: { 1: stored() },
        'waiting-children': { 1: 5 },
        '1:dependencies': [`${names.other}:a`],
        '1:processed': { [`${names.other}:b`]: '1' },
        '1:failed': { [`${names.other}:c`]: 'r' },
        '1:unsuccessful': { [`${names.other}:d`]: 5 },
      },
      other: {
        meta: META,
        wait: ['a'],
        completed: { b: 5 },
        failed: { c: 5, d: 5 },
        jobs: Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((id) => [id, stored(childOf(names.main, '1'))]),
        ),
      },
    })),
    removeCase(
      'of a parent without its children',
      (names) => ({
        main: {
          meta: META,
          jobs: { 1: stored() },
          'waiting-children': { 1: 5 },
          '1:dependencies': [`${names.other}:a`],
        },
        other: { meta: META, wait: ['a'], jobs: { a: stored(childOf(names.main, '1')) } },
      }),
      { removeChildren: false },
    ),
    removeCase('of a parent whose child runs', (names) => ({
      main: {
        meta: META,
        jobs: { 1: stored() },
        'waiting-children': { 1: 5 },
        '1:dependencies': [`${names.other}:a`],
      },
      other: {
        meta: META,
        active: ['a'],
        locks: { a: 't' },
        jobs: { a: stored(childOf(names.main, '1')) },
      },
    })),
    removeCase('of a grandparent', (names) => ({
      main: {
        meta: META,
        'waiting-children': { 1: 5, 2: 6 },
        wait: ['3'],
        jobs: {
          1: stored(),
          2: stored(childOf(names.main, '1')),
          3: stored(childOf(names.main, '2')),
        },
        '1:dependencies': [`${names.main}:2`],
        '2:dependencies': [`${names.main}:3`],
      },
    })),
    removeCase('of the last child of a parent', (names) => ({
      main: { meta: META, wait: ['1'], jobs: { 1: stored(childOf(names.other, 'p')) } },
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:dependencies': [`${names.main}:1`],
      },
    })),
    removeCase('of the last child of a parent with a priority', (names) => ({
      main: { meta: META, wait: ['1'], jobs: { 1: stored(childOf(names.other, 'p')) } },
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored({ priority: 4 }) },
        'p:dependencies': [`${names.main}:1`],
      },
    })),
    removeCase('of a child with a sibling', (names) => ({
      main: { meta: META, wait: ['1'], jobs: { 1: stored(childOf(names.other, 'p')) } },
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:dependencies': [`${names.main}:1`, `${names.main}:2`],
      },
    })),
    removeCase('of a completed child', (names) => ({
      main: { meta: META, completed: { 1: 5 }, jobs: { 1: stored(childOf(names.other, 'p')) } },
      other: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:processed': { [`${names.main}:1`]: '1' },
        'p:dependencies': [`${names.main}:2`],
      },
    })),
  ],
};
