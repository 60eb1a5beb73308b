import { resume as resumeQueue } from '@echomq/core';
import { NOW, type OracleCase, type TransitionCases } from '../oracle/oracle-case.js';
import { META, stored } from './jobs.js';

type Seed = NonNullable<OracleCase['seed']>;

function resumeCase(name: string, seed: Seed): OracleCase {
  return {
    name,
    seed,
    echomq: ({ store, queue }) => resumeQueue(store, queue),
    bullmq: (site) => site.queue.resume(),
  };
}

const jobs = { 1: stored(), 2: stored() };

const PAUSED = { ...META, paused: '1' };

/** Queues reopened. */
export const resume: TransitionCases = {
  transition: 'resume',
  cases: [
    resumeCase('with jobs in wait', () => ({ main: { meta: PAUSED, wait: ['2', '1'], jobs } })),
    resumeCase('with prioritized jobs', () => ({
      main: { meta: PAUSED, prioritized: { 1: 5 }, jobs },
    })),
    resumeCase('with only later jobs', () => ({
      main: { meta: PAUSED, delayed: { 1: (NOW + 10_000) * 4096 }, jobs },
    })),
    resumeCase('with nothing', () => ({ main: { meta: PAUSED } })),
    resumeCase('with jobs that release 5 parked', () => ({
      main: { meta: PAUSED, paused: ['2', '1'], jobs },
    })),
    resumeCase('with jobs of both releases', () => ({
      main: { meta: PAUSED, wait: ['2'], paused: ['1'], jobs },
    })),
    resumeCase('of a queue that was not paused', () => ({
      main: { meta: META, wait: ['1'], jobs },
    })),
  ],
};
