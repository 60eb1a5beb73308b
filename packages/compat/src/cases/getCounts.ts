import { getCounts as countAll } from '@echomq/core';
import { query } from './everywhere.js';
import { META } from './jobs.js';

/** Counts of every location. */
export const getCounts = query('getCounts', [
  {
    name: 'of every location',
    echomq: async ({ store, queue }) => {
      const { waitingChildren, ...counts } = await countAll(store, queue);
      return Object.entries({ ...counts, 'waiting-children': waitingChildren }).sort();
    },
    bullmq: async (site) => {
      const counts = await site.queue.getJobCounts(
        'waiting',
        'active',
        'prioritized',
        'delayed',
        'completed',
        'failed',
        'waiting-children',
      );
      return Object.entries(counts)
        .filter(([state]) => state !== 'paused')
        .sort();
    },
  },
  {
    name: 'of delayed jobs that are due before a time',
    peers: ['6.7.0'],
    seed: () => ({
      main: { meta: META, delayed: { a: 6 * 4096 + 4095, b: 7 * 4096, c: 8 * 4096 } },
    }),
    echomq: async ({ store, queue }) => (await countAll(store, queue, 7)).delayed,
    bullmq: (site) => site.queue.getDelayedCount(7),
  },
]);
