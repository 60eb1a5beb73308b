import { moveToWaitingChildren as park } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored, TOKEN } from './jobs.js';

/** Job 1 parks for its children. */
function parkCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  { token = TOKEN, child }: { token?: string; child?: string } = {},
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue, names }) => {
      const childKey = child === undefined ? {} : { childKey: `${names.other}:${child}` };
      return park(store, queue, { jobId: '1', token, ...childKey }, NOW);
    },
    bullmq: async (site) => {
      const job = await site.job('1');
      const options = child === undefined ? {} : { child: { id: child, queue: site.names.other } };
      return job.moveToWaitingChildren(token, options);
    },
  };
}

/** Parents that wait for their children. */
export const moveToWaitingChildren: TransitionCases = {
  transition: 'moveToWaitingChildren',
  cases: [
    parkCase('with a child pending', (names) => ({
      main: oneRunning({}, { '1:dependencies': [`${names.other}:c`], stalled: ['1'] }),
    })),
    parkCase('without children', () => ({ main: oneRunning() })),
    parkCase(
      'for one child that is pending',
      (names) => ({ main: oneRunning({}, { '1:dependencies': [`${names.other}:c`] }) }),
      { child: 'c' },
    ),
    parkCase(
      'for one child that is not',
      (names) => ({ main: oneRunning({}, { '1:dependencies': [`${names.other}:c`] }) }),
      { child: 'd' },
    ),
    parkCase('with a failed child', (names) => ({
      main: oneRunning(
        {},
        {
          '1:dependencies': [`${names.other}:c`],
          '1:unsuccessful': { [`${names.other}:d`]: 5 },
        },
      ),
    })),
    parkCase('with others waiting under a global concurrency', (names) => ({
      main: oneRunning(
        {},
        {
          meta: { ...META, concurrency: '1' },
          wait: ['2'],
          jobs: { 2: stored() },
          '1:dependencies': [`${names.other}:c`],
        },
      ),
    })),
    parkCase(
      'by a stranger',
      (names) => ({ main: oneRunning({}, { '1:dependencies': [`${names.other}:c`] }) }),
      { token: 'other' },
    ),
    parkCase('of a job that is not active', (names) => ({
      main: {
        ...oneRunning({}, { '1:dependencies': [`${names.other}:c`] }),
        active: [],
        wait: ['1'],
      },
    })),
  ],
};
