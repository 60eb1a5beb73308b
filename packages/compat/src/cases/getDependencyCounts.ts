import { getDependencyCounts as countDependencies } from '@echomq/core';
import { query } from './everywhere.js';

/** Counts of children. */
export const getDependencyCounts = query('getDependencyCounts', [
  {
    name: 'of children in every state',
    echomq: async ({ store, queue }) => {
      const { pending, processed, ignored, failed } = await countDependencies(store, queue, 'k');
      return [pending, processed, ignored, failed];
    },
    bullmq: async (site) => {
      const job = await site.job('k');
      const all = { unprocessed: true, processed: true, ignored: true, failed: true };
      const counts = await job.getDependenciesCount(all);
      return [counts.unprocessed, counts.processed, counts.ignored, counts.failed];
    },
  },
]);
