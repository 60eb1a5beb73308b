import type { OracleCase, SeedStates, TransitionCases } from '../oracle/oracle-case.js';
import { type End, finishCase, inBatch } from './finishes.js';
import { oneRunning } from './jobs.js';

/** A case of moveToFinished, as a batch of one. */
const ended = (name: string, main: SeedStates['main'], end: End): OracleCase =>
  finishCase(name, () => (main ? { main } : {}), end, inBatch);

const waiting = { wait: ['3', '2'], jobs: { 1: { ats: 1 }, 2: {}, 3: { opts: { attempts: 2 } } } };
const failing = { opts: { attempts: 3, backoff: { type: 'exponential', delay: 100 } } };

/** Ends of runs in a batch: what one move does there is compared with BullMQ's own end of one job. */
export const moveBatch: TransitionCases = {
  transition: 'moveBatch',
  cases: [
    ended('with a result', oneRunning({}), { result: { ok: true } }),
    ended('with a result, then the next job', oneRunning({}, waiting), {
      result: 1,
      fetchNext: true,
    }),
    ended('with a failure', oneRunning({}), {}),
    ended('with a failure that has attempts left', oneRunning({ opts: { attempts: 2 } }), {}),
    ended('with a failure that waits for its retry', oneRunning(failing), {}),
    ended('with a failure, then the next job', oneRunning(failing, { ...waiting }), {
      fetchNext: true,
    }),
    ended('of a job that is not kept', oneRunning({ opts: { removeOnComplete: true } }), {
      result: 1,
    }),
    ended('of a job that is kept by count', oneRunning({ opts: { removeOnComplete: 1 } }), {
      result: 1,
    }),
    ended('of the owner of a deduplication id', oneRunning({ deid: 'd' }, { 'de:d': '1' }), {
      result: 1,
    }),
    ended('with metrics', oneRunning({}), {
      result: 1,
      worker: { metrics: { maxDataPoints: 10 } },
    }),
    ended('that closes a rate limit', oneRunning({}, waiting), {
      result: 1,
      fetchNext: true,
      worker: { limiter: { max: 1, duration: 60_000 } },
    }),
  ],
};
