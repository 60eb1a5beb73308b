import { inspectLocation as look } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning } from './jobs.js';

/** BullMQ looks for nothing broken: where nothing is, this changes as little. */
export const inspectLocation: TransitionCases = {
  transition: 'inspectLocation',
  cases: [
    {
      name: 'of a queue in which nothing is broken',
      seed: () => ({ main: oneRunning({}, { meta: META, stalled: ['1'] }) }),
      echomq: async ({ store, queue }) => {
        await look(store, queue, { name: 'wait', first: 0, count: 10 });
        return 0;
      },
      bullmq: async () => 0,
    },
  ],
};
