import { NOW, type OracleCase } from '../../oracle/oracle-case.js';
import { finishCase } from '../finishes.js';
import { oneRunning } from '../jobs.js';

/** Finished jobs per minute. */
export const metrics: readonly OracleCase[] = [
  finishCase('counted for the first time', () => ({ main: oneRunning() }), {
    result: 1,
    worker: { metrics: { maxDataPoints: 5 } },
  }),
  finishCase(
    'counted in the same minute',
    () => ({
      main: oneRunning({}, { 'metrics:completed': { count: 3, prevTS: NOW - 5, prevCount: 1 } }),
    }),
    { result: 1, worker: { metrics: { maxDataPoints: 5 } } },
  ),
  finishCase(
    'counted after three minutes',
    () => ({
      main: oneRunning(
        {},
        {
          'metrics:failed': { count: 3, prevTS: NOW - 180_000, prevCount: 1 },
          'metrics:failed:data': ['7', '8', '9', '10'],
        },
      ),
    }),
    { worker: { metrics: { maxDataPoints: 5 } } },
  ),
  finishCase(
    'counted after more minutes than are kept',
    () => ({
      main: oneRunning(
        {},
        {
          'metrics:completed': { count: 3, prevTS: NOW - 1_800_000, prevCount: 1 },
          'metrics:completed:data': ['7', '8'],
        },
      ),
    }),
    { result: 1, worker: { metrics: { maxDataPoints: 5 } } },
  ),
];
