import { updateProgress as tellProgress } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { oneRunning, TOKEN } from './jobs.js';

/** Progress. */
export const updateProgress: TransitionCases = {
  transition: 'updateProgress',
  cases: ([{ done: 3, of: 'a/b' }, 50, 'half'] as (object | number | string)[]).map(
    (progress): OracleCase => ({
      name: `as ${typeof progress}`,
      seed: () => ({ main: oneRunning() }),
      echomq: ({ store, queue }) =>
        tellProgress(store, queue, {
          jobId: '1',
          token: TOKEN,
          progress: JSON.stringify(progress),
        }),
      bullmq: async (site) => (await site.job('1')).updateProgress(progress),
    }),
  ),
};
