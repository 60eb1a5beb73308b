import { noteWorkers as note } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning } from './jobs.js';

/** BullMQ lists the connections of its workers and keeps no notes: a queue without sessions has none of ours either. */
export const noteWorkers: TransitionCases = {
  transition: 'noteWorkers',
  cases: [
    {
      name: 'of no session',
      seed: () => ({ main: oneRunning({}, { meta: META, stalled: ['1'] }) }),
      echomq: ({ store, queue }) => note(store, queue, [], { ttlMs: 30_000 }),
      bullmq: async () => 0,
    },
  ],
};
