import type { TransitionCases } from '../oracle/oracle-case.js';
import { bulkCase, eachInOne } from './addJobs.js';
import { META } from './jobs.js';

/** Single adds that meet in one turn: compared with BullMQ's adds of the same jobs. */
export const addBatch: TransitionCases = {
  transition: 'addBatch',
  cases: [
    bulkCase(
      'of every kind',
      () => [
        {},
        { delay: 10_000 },
        { priority: 3 },
        { lifo: true },
        { jobId: 'mine' },
        { delay: 10_000, priority: 2 },
        { deduplication: { id: 'd' } },
      ],
      () => ({}),
      eachInOne,
    ),
    bulkCase(
      'with one id twice',
      () => [{}, { priority: 3 }, { jobId: 'a' }, { jobId: 'a' }],
      () => ({ main: { meta: META } }),
      eachInOne,
    ),
  ],
};
