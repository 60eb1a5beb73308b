import { changeDelay as change } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, oneRunning, stored } from './jobs.js';

const due = (ms: number) => (NOW + ms) * 4096;

function delayCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  delay = 10_000,
): OracleCase {
  return {
    name,
    seed,
    echomq: async ({ store, queue }) =>
      void (await change(store, queue, { jobId: '1', until: { delayMs: delay } }, NOW)),
    bullmq: async (site) => (await site.job('1')).changeDelay(delay),
  };
}

/** New due times. */
export const changeDelay: TransitionCases = {
  transition: 'changeDelay',
  cases: [
    delayCase('to later', () => ({
      main: {
        meta: META,
        delayed: { 1: due(5), 2: due(20) },
        jobs: { 1: stored({ delay: 5 }), 2: stored() },
        marker: { 1: NOW + 5 },
      },
    })),
    delayCase('to its own time', () => ({
      main: { meta: META, delayed: { 1: due(10_000) }, jobs: { 1: stored({ delay: 10_000 }) } },
    })),
    delayCase(
      'to now',
      () => ({
        main: { meta: META, delayed: { 1: due(5) }, jobs: { 1: stored({ delay: 5 }) } },
      }),
      0,
    ),
    delayCase('while paused', () => ({
      main: {
        meta: { ...META, paused: '1' },
        delayed: { 1: due(5) },
        jobs: { 1: stored({ delay: 5 }) },
      },
    })),
    delayCase('of a job that is not delayed', () => ({ main: oneRunning() })),
  ],
};
