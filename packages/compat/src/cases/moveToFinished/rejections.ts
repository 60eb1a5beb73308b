import type { OracleCase } from '../../oracle/oracle-case.js';
import { finishCase } from '../finishes.js';
import { oneRunning } from '../jobs.js';

/** Ends that are refused, or nearly. */
export const rejections: readonly OracleCase[] = [
  finishCase(
    'by another worker',
    () => ({
      main: oneRunning({}, { locks: {}, active: ['1'], jobs: {} }),
    }),
    { result: 1, token: 'other' },
  ),
  finishCase('with the token 0', () => ({ main: oneRunning() }), { result: 1, token: '0' }),
  finishCase('by a stranger', () => ({ main: oneRunning() }), { result: 1, token: 'other' }),
  finishCase(
    'of a job that is not active',
    () => ({
      main: { ...oneRunning(), active: [], wait: ['1'] },
    }),
    { result: 1 },
  ),
  finishCase(
    'of a job whose lock has expired',
    () => ({
      main: { ...oneRunning(), locks: {} },
    }),
    { result: 1 },
  ),
  finishCase(
    'completed with children pending',
    (names) => ({
      main: oneRunning({}, { '1:dependencies': [`${names.other}:c`] }),
    }),
    { result: 1 },
  ),
  finishCase(
    'completed with failed children',
    (names) => ({
      main: oneRunning({}, { '1:unsuccessful': { [`${names.other}:c`]: 5 } }),
    }),
    { result: 1 },
  ),
  finishCase(
    'failed with children pending',
    (names) => ({
      main: oneRunning({}, { '1:dependencies': [`${names.other}:c`] }),
    }),
    {},
  ),
];
