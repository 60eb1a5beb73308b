import { SCRIPTS } from '@echomq/core';
import { type BullSite, type EchoSite, NOW, type TransitionCases } from '../oracle/oracle-case.js';
import { STACK } from './finishes.js';
import { META, oneRunning, stored, TOKEN } from './jobs.js';

/** The raw script: the engine retries through moveToFinished. */
async function retry({ store, queue }: EchoSite, token: string): Promise<unknown> {
  const reply = await store.run(
    SCRIPTS.retryJob,
    { ...queue, job: queue.job('1') },
    {
      prefix: queue.base,
      now: NOW,
      jobId: '1',
      token,
      reason: 'boom',
      fields: ['stacktrace', JSON.stringify([STACK])],
      more: {},
    },
  );
  return typeof reply === 'number' && reply < 0 ? `refused ${reply}` : undefined;
}

async function bullRetry(site: BullSite, token: string): Promise<void> {
  const job = await site.job('1');
  const error = new Error('boom');
  error.stack = STACK;
  await job.moveToFailed(error, token);
}

const again = (token: string = TOKEN) => ({
  echomq: (site: EchoSite) => retry(site, token),
  bullmq: (site: BullSite) => bullRetry(site, token),
});

/** Immediate retries. */
export const retryJob: TransitionCases = {
  transition: 'retryJob',
  cases: [
    {
      name: 'to the back of the queue',
      seed: () => ({
        main: oneRunning({ opts: { attempts: 3 } }, { wait: ['2'], jobs: { 2: stored() } }),
      }),
      ...again(),
    },
    {
      name: 'of a lifo job',
      seed: () => ({
        main: oneRunning(
          { opts: { attempts: 3, lifo: true } },
          { wait: ['2'], jobs: { 2: stored() } },
        ),
      }),
      ...again(),
    },
    {
      name: 'with a priority',
      seed: () => ({
        main: oneRunning({ opts: { attempts: 3, priority: 4 }, priority: 4 }, { pc: 2 }),
      }),
      ...again(),
    },
    {
      name: 'while paused',
      seed: () => ({
        main: oneRunning({ opts: { attempts: 3 } }, { meta: { ...META, paused: '1' } }),
      }),
      ...again(),
    },
    {
      name: 'when others have become due',
      seed: () => ({
        main: oneRunning(
          { opts: { attempts: 3 } },
          { delayed: { 2: (NOW - 1) * 4096 }, jobs: { 2: stored({ delay: 5 }) } },
        ),
      }),
      ...again(),
    },
    {
      name: 'at the global concurrency',
      seed: () => ({
        main: oneRunning({ opts: { attempts: 3 } }, { meta: { ...META, concurrency: '1' } }),
      }),
      ...again(),
    },
    {
      name: 'by a stranger',
      seed: () => ({ main: oneRunning({ opts: { attempts: 3 } }) }),
      ...again('other'),
    },
    {
      name: 'by a stranger, when others have become due',
      seed: () => ({
        main: oneRunning(
          { opts: { attempts: 3 } },
          { delayed: { 2: (NOW - 1) * 4096 }, jobs: { 2: stored({ delay: 5 }) } },
        ),
      }),
      ...again('other'),
    },
    {
      name: 'of a job that is not active',
      seed: () => ({ main: { ...oneRunning({ opts: { attempts: 3 } }), active: [], wait: ['1'] } }),
      ...again(),
    },
  ],
};
