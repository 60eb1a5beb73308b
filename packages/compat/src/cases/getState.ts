import { getState as readState } from '@echomq/core';
import type { OracleCase } from '../oracle/oracle-case.js';
import { query } from './everywhere.js';

/** Where jobs stand. */
export const getState = query(
  'getState',
  ['w1', 'a', 'p1', 'd', 'c1', 'f', 'k', 'nowhere'].map(
    (id) =>
      ({
        name: `of job ${id}`,
        echomq: ({ store, queue }) => readState(store, queue, id),
        bullmq: async (site) => (await site.job(id)).getState(),
      }) satisfies Omit<OracleCase, 'seed'>,
  ),
);
