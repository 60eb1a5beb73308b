import { extendLock as extendOne } from '@echomq/core';
import type { OracleCase, TransitionCases } from '../oracle/oracle-case.js';
import { oneRunning, TOKEN } from './jobs.js';

const LONGER = 60_000;

function extendCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  token = TOKEN,
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) => {
      const extended = extendOne(store, queue, { id: '1', token, lockDuration: LONGER });
      return extended.then(
        () => 1,
        () => 0,
      );
    },
    bullmq: async (site) => (await site.job('1')).extendLock(token, LONGER),
  };
}

/** Renewal of one lock. The reply is 1 or 0. */
export const extendLock: TransitionCases = {
  transition: 'extendLock',
  cases: [
    extendCase('by the owner', () => ({ main: oneRunning({}, { stalled: ['1'] }) })),
    extendCase('by a stranger', () => ({ main: oneRunning({}, { stalled: ['1'] }) }), 'other'),
    extendCase('of a lock that has expired', () => ({
      main: { ...oneRunning({}, { stalled: ['1'] }), locks: {} },
    })),
  ],
};
