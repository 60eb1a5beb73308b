import { updateData as replaceData } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { oneRunning, TOKEN } from './jobs.js';

/** Data. */
export const updateData: TransitionCases = {
  transition: 'updateData',
  cases: [
    {
      name: 'of a running job',
      seed: () => ({ main: oneRunning() }),
      echomq: ({ store, queue }) =>
        replaceData(store, queue, { jobId: '1', token: TOKEN, data: '{"new":"a/b"}' }),
      bullmq: async (site) => (await site.job('1')).updateData({ new: 'a/b' }),
    },
    {
      name: 'of a job that another worker runs',
      seed: () => ({ main: oneRunning() }),
      echomq: ({ store, queue }) =>
        replaceData(store, queue, { jobId: '1', token: 'other', data: '{"new":"a/b"}' }),
      bullmq: async (site) => (await site.job('1')).updateData({ new: 'a/b' }),
    },
    {
      name: 'of any job, by an administrator',
      seed: () => ({ main: oneRunning() }),
      echomq: ({ store, queue }) =>
        replaceData(store, queue, { jobId: '1', anyone: true, data: '{"new":"a/b"}' }),
      bullmq: async (site) => (await site.job('1')).updateData({ new: 'a/b' }),
    },
  ],
};
