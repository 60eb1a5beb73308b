import { removeJobScheduler as removeScheduler } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META } from './jobs.js';

import { AHEAD, runId, standing } from './scheduler-plan.js';

function removeCase(name: string, seed: NonNullable<OracleCase['seed']>): OracleCase {
  return {
    name,
    seed,
    echomq: ({ store, queue }) => removeScheduler(store, queue, 's'),
    bullmq: (site) => site.queue.removeJobScheduler('s'),
  };
}

/** Schedulers removed. */
export const removeJobScheduler: TransitionCases = {
  transition: 'removeJobScheduler',
  cases: [
    removeCase(
      'with its run delayed',
      standing(AHEAD, { delayed: { [runId(AHEAD)]: AHEAD * 4096 } }),
    ),
    removeCase('with its run waiting', standing(NOW - 5, { wait: [runId(NOW - 5)] })),
    removeCase('with its run active', standing(NOW - 5, { active: [runId(NOW - 5)] })),
    removeCase('that does not exist', () => ({ main: { meta: META } })),
  ],
};
