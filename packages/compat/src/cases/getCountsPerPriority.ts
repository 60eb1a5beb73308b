import { getCountsPerPriority as countPriorities } from '@echomq/core';
import { query } from './everywhere.js';

/** Counts of priorities. */
export const getCountsPerPriority = query('getCountsPerPriority', [
  {
    name: 'of some priorities',
    echomq: ({ store, queue }) => countPriorities(store, queue, [0, 1, 5, 6]),
    bullmq: async (site) => Object.values(await site.queue.getCountsPerPriority([0, 1, 5, 6])),
  },
]);
