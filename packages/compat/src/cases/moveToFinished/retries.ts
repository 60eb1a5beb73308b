import type { OracleCase } from '../../oracle/oracle-case.js';
import { finishCase } from '../finishes.js';
import { oneRunning, stored } from '../jobs.js';

/** Failures with attempts left: where the job goes. */
export const retries: readonly OracleCase[] = [
  finishCase(
    'failed, to be retried at once',
    () => ({
      main: oneRunning({ opts: { attempts: 3 } }, { wait: ['2'], jobs: { 2: stored() } }),
    }),
    {},
  ),
  finishCase(
    'failed, to be retried at once, lifo',
    () => ({
      main: oneRunning(
        { opts: { attempts: 3, lifo: true } },
        { wait: ['2'], jobs: { 2: stored() } },
      ),
    }),
    {},
  ),
  finishCase(
    'failed, to be retried at once, with a priority',
    () => ({
      main: oneRunning({ opts: { attempts: 3, priority: 2 }, priority: 2 }, { pc: 7 }),
    }),
    {},
  ),
  finishCase(
    'failed, to be retried after a fixed delay',
    () => ({
      main: oneRunning({ opts: { attempts: 3, backoff: { type: 'fixed', delay: 10_000 } } }),
    }),
    {},
  ),
  finishCase(
    'failed, to be retried after an exponential delay',
    () => ({
      main: oneRunning({
        opts: { attempts: 5, backoff: { type: 'exponential', delay: 1_000 } },
        atm: 2,
      }),
    }),
    {},
  ),
  finishCase(
    'failed, to be retried later, and the next fetched',
    () => ({
      main: oneRunning(
        { opts: { attempts: 3, backoff: { type: 'fixed', delay: 10_000 } } },
        { wait: ['2'], jobs: { 2: stored() } },
      ),
    }),
    { fetchNext: true },
  ),
];
