import { NOW, type OracleCase } from '../../oracle/oracle-case.js';
import { finishCase } from '../finishes.js';
import { oneRunning, stored } from '../jobs.js';

const finished = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`f${i}`, NOW - 60_000 * (count - i)]),
  );
const finishedJobs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, stored()]));

/** What of the finished jobs is kept. */
export const retention: readonly OracleCase[] = [
  finishCase(
    'removed by its own option',
    () => ({
      main: oneRunning({ opts: { attempts: 0, removeOnComplete: true } }, { '1:logs': ['a'] }),
    }),
    { result: 1 },
  ),
  finishCase(
    'failed and removed by its own option',
    () => ({
      main: oneRunning({ opts: { attempts: 0, removeOnFail: true } }),
    }),
    {},
  ),
  finishCase(
    'kept by its own option against the worker',
    () => ({
      main: oneRunning({ opts: { attempts: 0, removeOnComplete: false } }),
    }),
    { result: 1, worker: { removeOnComplete: { count: 0 } } },
  ),
  finishCase('removed by the worker', () => ({ main: oneRunning() }), {
    result: 1,
    worker: { removeOnComplete: { count: 0 } },
  }),
  finishCase(
    'trimmed to a number',
    () => ({
      main: oneRunning(
        { opts: { attempts: 0, removeOnComplete: 2 } },
        {
          completed: finished(4),
          jobs: finishedJobs(4),
        },
      ),
    }),
    { result: 1 },
  ),
  finishCase(
    'trimmed to a number by the worker',
    () => ({
      main: oneRunning({}, { failed: finished(4), jobs: finishedJobs(4) }),
    }),
    { worker: { removeOnFail: { count: 3 } } },
  ),
  finishCase(
    'trimmed by age',
    () => ({
      main: oneRunning(
        { opts: { attempts: 0, removeOnComplete: { age: 150 } } },
        {
          completed: finished(5),
          jobs: finishedJobs(5),
        },
      ),
    }),
    { result: 1 },
  ),
  finishCase(
    'trimmed by age and count',
    () => ({
      main: oneRunning(
        { opts: { attempts: 0, removeOnComplete: { age: 250, count: 2 } } },
        {
          completed: finished(6),
          jobs: finishedJobs(6),
        },
      ),
    }),
    { result: 1 },
  ),
  finishCase(
    'trimmed by age, a few at a time',
    () => ({
      main: oneRunning(
        { opts: { attempts: 0, removeOnComplete: { age: 90, limit: 2 } } },
        {
          completed: finished(6),
          jobs: finishedJobs(6),
        },
      ),
    }),
    { result: 1 },
  ),
  finishCase(
    'trimmed beyond a thousand',
    () => ({
      main: oneRunning(
        { opts: { attempts: 0, removeOnComplete: 1 } },
        { completed: finished(1_005) },
      ),
    }),
    { result: 1 },
  ),
];
