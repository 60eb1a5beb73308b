import { promoteDueJobs as promoteDue } from '@echomq/core';
import { NOW, type TransitionCases } from '../oracle/oracle-case.js';
import { META, stored } from './jobs.js';

const due = (ms: number) => (NOW + ms) * 4096;

/** BullMQ promotes in each fetch: one from a paused queue promotes and does nothing else. */
export const promoteDueJobs: TransitionCases = {
  transition: 'promoteDueJobs',
  cases: [
    {
      name: 'while paused, as a fetch does',
      seed: () => ({
        main: {
          meta: { ...META, paused: '1' },
          delayed: { 1: due(-5), 2: due(-4), 3: due(0) },
          jobs: {
            1: stored({ delay: 5 }),
            2: stored({ delay: 5, priority: 2 }),
            3: stored({ delay: 5 }),
          },
        },
      }),
      echomq: async ({ store, queue }) => void (await promoteDue(store, queue, NOW)),
      bullmq: async (site) => void (await site.worker().getNextJob('t', { block: false })),
    },
    {
      // Release 5 parks them besides; `promote` shows what it does with such a job.
      name: 'of lifo jobs, while paused',
      peers: ['6.7.0'],
      seed: () => ({
        main: {
          meta: { ...META, paused: '1' },
          delayed: { 1: due(-5), 2: due(-4), 3: due(0) },
          jobs: {
            1: stored({ delay: 5 }),
            2: stored({ delay: 5, opts: { lifo: true } }),
            3: stored({ delay: 5, opts: { lifo: true } }),
          },
        },
      }),
      echomq: async ({ store, queue }) => void (await promoteDue(store, queue, NOW)),
      bullmq: async (site) => void (await site.worker().getNextJob('t', { block: false })),
    },
  ],
};
