import { replayFetch as fetchAgain } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning } from './jobs.js';

/** Fetches asked for again. BullMQ has none: where nobody left a receipt, nothing may change. */
export const replayFetch: TransitionCases = {
  transition: 'replayFetch',
  cases: [
    {
      name: 'of which no receipt tells',
      seed: () => ({ main: oneRunning({}, { meta: META, stalled: ['1'] }) }),
      echomq: ({ store, queue }) => {
        const key = queue.requestReceipts('r');
        const receipt = { key, field: 'fetch', digest: 'd', ttl: 120_000 };
        return fetchAgain(store, queue, { receipt, lockDuration: 30_000 });
      },
      bullmq: async () => undefined,
    },
  ],
};
