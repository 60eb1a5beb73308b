import { type JobWriter, updateProgress as tellProgress } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { oneRunning, TOKEN } from './jobs.js';

function progressCase(
  name: string,
  progress: object | number | string,
  writer: JobWriter = { token: TOKEN },
): OracleCase {
  const json = JSON.stringify(progress);
  return {
    name,
    seed: () => ({ main: oneRunning() }),
    echomq: ({ store, queue }) =>
      tellProgress(store, queue, { jobId: '1', progress: json, ...writer }),
    bullmq: async (site) => (await site.job('1')).updateProgress(progress),
  };
}

/** Progress. */
export const updateProgress: TransitionCases = {
  transition: 'updateProgress',
  cases: [
    progressCase('as object', { done: 3, of: 'a/b' }),
    progressCase('as number', 50),
    progressCase('as string', 'half'),
    progressCase('by an administrator', 50, { anyone: true }),
  ],
};
