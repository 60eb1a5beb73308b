import { extendLocks as extendMany } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { oneRunning, running, TOKEN } from './jobs.js';

const LONGER = 60_000;

/** Renewal of many locks. The reply names those that are lost. */
export const extendLocks: TransitionCases = {
  transition: 'extendLocks',
  cases: [
    {
      name: 'of three, one a stranger’s and one expired',
      seed: () => ({
        main: oneRunning(
          {},
          {
            active: ['3', '2', '1'],
            stalled: ['1', '2', '3'],
            jobs: { 2: running(), 3: running() },
            locks: { 2: 'somebody' },
          },
        ),
      }),
      echomq: async ({ store, queue }) => {
        const leases = ['1', '2', '3'].map((id) => ({ id, token: TOKEN, lockDuration: LONGER }));
        const answers = await extendMany(store, queue, leases);
        return leases.filter((_, i) => answers[i] !== 'EXTENDED').map(({ id }) => id);
      },
      bullmq: (site) =>
        site.worker().extendJobLocks(['1', '2', '3'], [TOKEN, TOKEN, TOKEN], LONGER),
    },
  ],
};
