import { NOW, type OracleCase } from '../../oracle/oracle-case.js';
import { finishCase } from '../finishes.js';
import { META, oneRunning, stored } from '../jobs.js';

/** Ends that are final. */
export const ends: readonly OracleCase[] = [
  finishCase('completed', () => ({ main: oneRunning() }), { result: { sum: 3, text: 'a/b' } }),
  finishCase('completed without a result', () => ({ main: oneRunning() }), { result: undefined }),
  finishCase(
    'completed, with others active',
    () => ({ main: oneRunning({}, { active: ['2', '1', '3'], stalled: ['1', '2'] }) }),
    { result: 1 },
  ),
  finishCase(
    'completed and the next fetched',
    () => ({ main: oneRunning({}, { wait: ['2'], jobs: { 2: stored() } }) }),
    { result: 1, fetchNext: true },
  ),
  finishCase('completed and nothing to fetch', () => ({ main: oneRunning({}, { pc: 4 }) }), {
    result: 1,
    fetchNext: true,
  }),
  finishCase(
    'completed, nothing to fetch but a later job',
    () => ({
      main: oneRunning({}, { delayed: { 2: (NOW + 10_000) * 4096 }, jobs: { 2: stored() } }),
    }),
    { result: 1, fetchNext: true },
  ),
  finishCase(
    'completed, and one that has become due is fetched',
    () => ({
      main: oneRunning({}, { delayed: { 2: (NOW - 5) * 4096 }, jobs: { 2: stored({ delay: 9 }) } }),
    }),
    { result: 1, fetchNext: true, worker: { name: 'w1' } },
  ),
  finishCase(
    'completed while paused',
    () => ({
      main: oneRunning({}, { meta: { ...META, paused: '1' }, wait: ['2'], jobs: { 2: stored() } }),
    }),
    { result: 1, fetchNext: true },
  ),
  finishCase(
    'completed at the limit',
    () => ({
      main: oneRunning(
        {},
        { limiter: '1', ttls: { limiter: 20_000 }, wait: ['2'], jobs: { 2: stored() } },
      ),
    }),
    { result: 1, fetchNext: true, worker: { limiter: { max: 1, duration: 20_000 } } },
  ),
  finishCase(
    'completed without a fetch, others waiting under a global concurrency',
    () => ({
      main: oneRunning(
        {},
        { meta: { ...META, concurrency: '1' }, wait: ['2'], jobs: { 2: stored() } },
      ),
    }),
    { result: 1 },
  ),
  finishCase('failed for good', () => ({ main: oneRunning() }), {}),
  finishCase(
    'failed for good, the last of three',
    () => ({
      main: oneRunning({
        opts: { attempts: 3 },
        atm: 2,
        stacktrace: '["old"]',
        failedReason: 'old',
      }),
    }),
    {},
  ),
  finishCase(
    'failed for good with attempts left',
    () => ({
      main: oneRunning({ opts: { attempts: 3 } }),
    }),
    { unrecoverable: true },
  ),
  finishCase(
    'failed and the next fetched',
    () => ({
      main: oneRunning({}, { wait: ['2'], jobs: { 2: stored() } }),
    }),
    { fetchNext: true },
  ),
  finishCase(
    'failed with a bound on stacks',
    () => ({
      main: oneRunning({ opts: { attempts: 1, stackTraceLimit: 2 }, stacktrace: '["a","b"]' }),
    }),
    {},
  ),
  finishCase(
    'failed with a bound of no stacks',
    () => ({
      main: oneRunning({ opts: { attempts: 1, stackTraceLimit: 0 } }),
    }),
    {},
  ),
  finishCase(
    'of a deferred failure by the worker that carries it out',
    () => ({
      main: oneRunning({ defa: 'job stalled more than allowable limit' }),
    }),
    { unrecoverable: true },
  ),
  finishCase('without meta', () => ({ main: { ...oneRunning(), meta: {} } }), { result: 1 }),
];
