import { type AddOutcome, addBatch as addEach, addJobs as addMany } from '@echomq/core';
import type { JobsOptions } from 'bullmq';
import {
  NOW,
  type OracleCase,
  type QueueNames,
  type TransitionCases,
} from '../oracle/oracle-case.js';
import { DATA, META, newJob, stored } from './jobs.js';

type Items = (names: QueueNames) => readonly JobsOptions[];

type Add = (...to: Parameters<typeof addMany>) => Promise<readonly AddOutcome[]>;

const together: Add = (store, queue, jobs) => addMany(store, queue, jobs, { now: NOW });

/** Each by itself, all of one script. */
export const eachInOne: Add = async (store, queue, jobs) =>
  (await addEach(store, queue, jobs, NOW)) as AddOutcome[];

/** Adds on both sides. */
export function bulkCase(
  name: string,
  items: Items,
  seed: NonNullable<OracleCase['seed']> = () => ({}),
  add: Add = together,
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue, names }) => {
      const jobs = items(names).map((options) => newJob(options));
      return (await add(store, queue, jobs)).map(({ jobId }) => jobId);
    },
    bullmq: async (site) => {
      const jobs = items(site.names).map((opts) => ({ name: 'send', data: DATA, opts }));
      return (await site.queue.addBulk(jobs)).map(({ id }) => id);
    },
  };
}

/** Many adds in one call. */
export const addJobs: TransitionCases = {
  transition: 'addJobs',
  cases: [
    bulkCase('of every kind', () => [
      {},
      { delay: 10_000 },
      { priority: 3 },
      { lifo: true },
      { jobId: 'mine' },
      { delay: 10_000, priority: 2 },
      { deduplication: { id: 'd' } },
    ]),
    bulkCase(
      'while paused',
      () => [{}, { priority: 3 }],
      () => ({ main: { meta: { ...META, paused: '1' } } }),
    ),
    bulkCase(
      'with one id twice',
      () => [{ jobId: 'a' }, { jobId: 'a' }],
      () => ({ main: { meta: META } }),
    ),
    bulkCase(
      'of children',
      (names) => [
        { parent: { id: 'p', queue: names.other } },
        { parent: { id: 'p', queue: names.other }, failParentOnFailure: true },
      ],
      () => ({ other: { meta: META, 'waiting-children': { p: 5 }, jobs: { p: stored() } } }),
    ),
    bulkCase(
      'of which one has no parent',
      (names) => [{}, { parent: { id: 'p', queue: names.other } }, {}],
      () => ({ main: { meta: META } }),
    ),
  ],
};
