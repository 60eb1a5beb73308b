import { cancelJob as cancel, moveToFinished } from '@echomq/core';
import { type BullSite, type EchoSite, NOW, type TransitionCases } from '../oracle/oracle-case.js';
import { STACK } from './finishes.js';
import { META, oneRunning, stored, TOKEN } from './jobs.js';

/** BullMQ cancels nothing: the job must be as if its run had failed for good with that reason. */
const bullFails = async (site: BullSite): Promise<void> => {
  const job = await site.job('1');
  const error = new Error('cancelled');
  error.name = 'UnrecoverableError';
  error.stack = STACK;
  await job.moveToFailed(error, TOKEN);
};

/** The request, and then the word of the holder that ends the job: a failure that would be tried again. */
const askAndEnd = async ({ store, queue }: EchoSite): Promise<void> => {
  await cancel(store, queue, { jobId: '1' }, NOW);
  const how = { jobId: '1', target: 'failed' as const, value: 'boom', fetchNext: false };
  const options = { token: TOKEN, retry: { mode: 'DEFAULT' as const }, stack: STACK };
  await moveToFinished(store, queue, { ...how, options }, NOW);
};

/** Cancelled jobs. */
export const cancelJob: TransitionCases = {
  transition: 'cancelJob',
  cases: [
    {
      name: 'that run, once their holder speaks',
      seed: () => ({ main: oneRunning({ opts: { attempts: 3 } }, { stalled: ['1'] }) }),
      echomq: askAndEnd,
      bullmq: bullFails,
    },
    {
      name: 'that are removed when they fail',
      seed: () => ({ main: oneRunning({ opts: { attempts: 3, removeOnFail: true } }) }),
      echomq: askAndEnd,
      bullmq: bullFails,
    },
    {
      name: 'that are not there',
      seed: () => ({ main: { meta: META, wait: ['2'], jobs: { 2: stored() } } }),
      echomq: ({ store, queue }) =>
        cancel(store, queue, { jobId: '1' }, NOW).catch(({ reason }) => reason),
      bullmq: async () => 'JOB_NOT_FOUND',
    },
  ],
};
