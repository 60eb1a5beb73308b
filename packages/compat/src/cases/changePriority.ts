import { changePriority as change } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored } from './jobs.js';

const score = (priority: number, arrival: number) => priority * 2 ** 32 + arrival;

function priorityCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  options: { priority: number; lifo?: boolean },
): OracleCase {
  return {
    name,
    seed,
    echomq: ({ store, queue }) => change(store, queue, { jobId: '1', ...options }),
    bullmq: async (site) => (await site.job('1')).changePriority(options),
  };
}

const waiting = () => ({
  main: { meta: META, wait: ['2', '1', '3'], jobs: { 1: stored(), 2: stored(), 3: stored() } },
});
const prioritized = () => ({
  main: {
    meta: META,
    pc: 4,
    wait: ['3'],
    prioritized: { 1: score(5, 4), 2: score(7, 3) },
    jobs: { 1: stored({ priority: 5 }), 2: stored({ priority: 7 }), 3: stored() },
  },
});

/** New priorities. */
export const changePriority: TransitionCases = {
  transition: 'changePriority',
  cases: [
    priorityCase('of a waiting job', waiting, { priority: 3 }),
    priorityCase('of a waiting job, to the front', waiting, { priority: 3, lifo: true }),
    priorityCase('of a prioritized job', prioritized, { priority: 9 }),
    priorityCase('of a prioritized job, to the front', prioritized, { priority: 9, lifo: true }),
    priorityCase('of a prioritized job, to none', prioritized, { priority: 0 }),
    priorityCase('of a prioritized job, to none and the front', prioritized, {
      priority: 0,
      lifo: true,
    }),
    priorityCase(
      'of a delayed job',
      () => ({
        main: { meta: META, delayed: { 1: 5 * 4096 }, jobs: { 1: stored({ delay: 5 }) } },
      }),
      { priority: 4 },
    ),
    priorityCase('of a running job', () => ({ main: oneRunning() }), { priority: 4 }),
    priorityCase(
      'while paused',
      () => ({
        main: { meta: { ...META, paused: '1' }, wait: ['1'], jobs: { 1: stored() } },
      }),
      { priority: 4 },
    ),
    priorityCase(
      'of a job that a peer of release 5 parked',
      () => ({
        main: { meta: { ...META, paused: '1' }, paused: ['1'], jobs: { 1: stored() } },
      }),
      { priority: 4 },
    ),
  ],
};
