import { addLogs as appendLogs, type JobWriter } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, TOKEN } from './jobs.js';

type Seed = NonNullable<OracleCase['seed']>;

function logCase(
  name: string,
  seed: Seed,
  { keep = 0, writer = { token: TOKEN } }: { keep?: number; writer?: JobWriter } = {},
): OracleCase {
  return {
    name,
    seed,
    echomq: ({ store, queue }) =>
      appendLogs(store, queue, { jobId: '1', rows: ['row "3"'], keep, ...writer }),
    bullmq: (site) => site.queue.addJobLog('1', 'row "3"', keep || undefined),
  };
}

/** Log rows. */
export const addLogs: TransitionCases = {
  transition: 'addLogs',
  cases: [
    logCase('the first row', () => ({ main: oneRunning() })),
    logCase('one more', () => ({ main: oneRunning({}, { '1:logs': ['1', '2'] }) })),
    logCase('one more than is kept', () => ({ main: oneRunning({}, { '1:logs': ['1', '2'] }) }), {
      keep: 2,
    }),
    logCase('by a stranger', () => ({ main: oneRunning() }), {
      writer: { token: 'other' },
    }),
    logCase('by an administrator', () => ({ main: { meta: META, wait: ['1'], jobs: { 1: {} } } }), {
      writer: { anyone: true },
    }),
    logCase('of a job that is gone', () => ({ main: { meta: META } })),
  ],
};
