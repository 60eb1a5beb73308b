import { type Range, getRanges as readRange } from '@echomq/core';
import type { OracleCase } from '../oracle/oracle-case.js';
import { query } from './everywhere.js';

const STATES = [
  'waiting',
  'active',
  'prioritized',
  'delayed',
  'completed',
  'failed',
  'waiting-children',
] as const satisfies Range['state'][];

function rangeCase(state: (typeof STATES)[number], newestFirst: boolean): OracleCase {
  return {
    name: `of ${state}, ${newestFirst ? 'newest' : 'oldest'} first`,
    echomq: ({ store, queue }) =>
      readRange(store, queue, { state, first: 0, last: 1, newestFirst }),
    bullmq: async (site) =>
      (await site.queue.getJobs([state], 0, 1, !newestFirst)).map((job) => job.id),
  };
}

/** Ranges of ids. */
export const getRanges = query(
  'getRanges',
  STATES.flatMap((state) => [rangeCase(state, false), rangeCase(state, true)]),
);
