import { getCounts as countAll } from '@echomq/core';
import { query } from './everywhere.js';

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
]);
