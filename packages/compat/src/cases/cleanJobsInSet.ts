import { cleanJobsInSet as clean } from '@echomq/core';
import type { QueueState } from '@echomq/testkit';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { childOf, META, stored } from './jobs.js';

type Seed = NonNullable<OracleCase['seed']>;

const run = `repeat:s:${NOW}`;

const scheduler: QueueState = {
  repeat: { s: NOW },
  'repeat:s': { name: 'send', ic: 1, every: 1_000 },
};

type CleanType = 'completed' | 'wait' | 'active' | 'paused' | 'prioritized' | 'delayed' | 'failed';

function cleanCase(
  name: string,
  seed: Seed,
  { type, grace = 30_000, limit = 100 }: { type: CleanType; grace?: number; limit?: number },
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      const keys = type === 'paused' ? { ...queue, wait: queue.paused } : queue;
      const state = type === 'wait' || type === 'paused' ? 'waiting' : type;
      const removed = await clean(store, keys as typeof queue, {
        state,
        olderThan: NOW - grace,
        limit,
      });
      return removed.sort();
    },
    bullmq: async (site) => (await site.queue.clean(grace, limit, type)).sort(),
  };
}

const young = stored({ timestamp: NOW - 10 });

const three = { 1: stored(), 2: young, 3: stored() };

/** Old jobs removed, location by location. */
export const cleanJobsInSet: TransitionCases = {
  transition: 'cleanJobsInSet',
  cases: [
    cleanCase('of wait', () => ({ main: { meta: META, wait: ['3', '2', '1'], jobs: three } }), {
      type: 'wait',
    }),
    cleanCase(
      'of wait, one of two',
      () => ({ main: { meta: META, wait: ['3', '2', '1'], jobs: three } }),
      {
        type: 'wait',
        limit: 1,
      },
    ),
    cleanCase(
      'of the list of release 5',
      () => ({
        main: { meta: { ...META, paused: '1' }, paused: ['3', '2', '1'], jobs: three },
      }),
      { type: 'paused' },
    ),
    cleanCase(
      'of prioritized',
      () => ({ main: { meta: META, prioritized: { 1: 5, 2: 6, 3: 7 }, jobs: three } }),
      {
        type: 'prioritized',
      },
    ),
    cleanCase(
      'of delayed',
      () => ({ main: { meta: META, delayed: { 1: 5, 2: 6, 3: 7 }, jobs: three } }),
      { type: 'delayed' },
    ),
    cleanCase(
      'of delayed, that ran before',
      () => ({
        main: { meta: META, delayed: { 1: 5 }, jobs: { 1: stored({ processedOn: NOW - 5 }) } },
      }),
      { type: 'delayed' },
    ),
    cleanCase(
      'of active, of which one runs',
      () => ({
        main: { meta: META, active: ['3', '2', '1'], locks: { 3: 't' }, jobs: three },
      }),
      { type: 'active' },
    ),
    cleanCase(
      'of completed',
      () => ({
        main: {
          meta: META,
          completed: { 1: NOW - 60_000, 2: NOW - 10, 3: NOW - 30_000 },
          jobs: three,
          '1:logs': ['row'],
        },
      }),
      { type: 'completed' },
    ),
    cleanCase(
      'of failed, with a limit',
      () => ({
        main: {
          meta: META,
          failed: { 1: NOW - 60_000, 2: NOW - 50_000, 3: NOW - 40_000 },
          jobs: three,
        },
      }),
      { type: 'failed', limit: 2 },
    ),
    cleanCase('of nothing', () => ({ main: { meta: META } }), { type: 'failed' }),
    cleanCase(
      'of the owner of a deduplication id',
      () => ({
        main: { meta: META, wait: ['1'], 'de:d': '1', jobs: { 1: stored({ deid: 'd' }) } },
      }),
      { type: 'wait' },
    ),
    cleanCase(
      'with the next run of a scheduler',
      () => ({
        main: {
          meta: META,
          ...scheduler,
          wait: [run, '1'],
          jobs: { 1: stored(), [run]: stored({ rjk: 's' }) },
        },
      }),
      { type: 'wait' },
    ),
    cleanCase(
      'of the last child of a parent in the same queue',
      (names) => ({
        main: {
          meta: META,
          wait: ['1'],
          'waiting-children': { p: 5 },
          'p:dependencies': [`${names.main}:1`],
          jobs: { 1: stored(childOf(names.main, 'p')), p: stored() },
        },
      }),
      { type: 'wait' },
    ),
    cleanCase(
      'of the last child of a parent in another queue',
      (names) => ({
        main: { meta: META, wait: ['1'], jobs: { 1: stored(childOf(names.other, 'p')) } },
        other: {
          meta: META,
          'waiting-children': { p: 5 },
          'p:dependencies': [`${names.main}:1`],
          jobs: { p: stored() },
        },
      }),
      { type: 'wait' },
    ),
    cleanCase(
      'of times with fewer digits',
      () => ({
        main: { meta: META, wait: ['1'], jobs: { 1: stored({ timestamp: 999_999_999_999 }) } },
      }),
      { type: 'wait' },
    ),
    cleanCase('of an id without a job', () => ({ main: { meta: META, wait: ['1'] } }), {
      type: 'wait',
    }),
  ],
};
