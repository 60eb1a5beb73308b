import { removeDeduplicationKey as freeDeduplication } from '@echomq/core';
import type { TransitionCases } from '../oracle/oracle-case.js';
import { META, stored } from './jobs.js';

/** Deduplication ids freed. */
export const removeDeduplicationKey: TransitionCases = {
  transition: 'removeDeduplicationKey',
  cases: [
    {
      name: 'by the queue',
      seed: () => ({
        main: { meta: META, 'de:d': '1', wait: ['1'], jobs: { 1: stored({ deid: 'd' }) } },
      }),
      echomq: async ({ store, queue }) => ((await freeDeduplication(store, queue, 'd')) ? 1 : 0),
      bullmq: (site) => site.queue.removeDeduplicationKey('d'),
    },
    {
      name: 'by its owner',
      seed: () => ({
        main: { meta: META, 'de:d': '1', wait: ['1'], jobs: { 1: stored({ deid: 'd' }) } },
      }),
      echomq: ({ store, queue }) => freeDeduplication(store, queue, 'd', '1'),
      bullmq: async (site) => (await site.job('1')).removeDeduplicationKey(),
    },
    {
      name: 'by another job',
      seed: () => ({
        main: { meta: META, 'de:d': '9', wait: ['1'], jobs: { 1: stored({ deid: 'd' }) } },
      }),
      echomq: ({ store, queue }) => freeDeduplication(store, queue, 'd', '1'),
      bullmq: async (site) => (await site.job('1')).removeDeduplicationKey(),
    },
  ],
};
