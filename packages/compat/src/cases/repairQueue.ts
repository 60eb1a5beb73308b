import { repairQueue as look } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning } from './jobs.js';

/** BullMQ looks for nothing broken: where nothing is, this changes as little. */
export const repairQueue: TransitionCases = {
  transition: 'repairQueue',
  cases: [
    {
      name: 'of a queue in which nothing is broken',
      seed: () => ({ main: oneRunning({}, { meta: META, stalled: ['1'] }) }),
      echomq: async ({ store, queue }) => {
        await look(store, queue, { fault: 'marker' });
        return 0;
      },
      bullmq: async () => 0,
    },
  ],
};
