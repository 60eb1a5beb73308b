import { expect, test } from 'vitest';
import { CASES } from '../src/cases/index.js';
import { runSuite } from '../src/suite.js';
import { table } from '../src/table.js';
import { faulty, SAMPLE_WORKER } from './workers.js';

test.concurrent.for([
  ['the sample worker of the SDK', SAMPLE_WORKER],
  ['the worker without faults', faulty()],
] as const)('%s passes every case', { timeout: 600_000 }, async ([, worker], { expect }) => {
  // Patient, because other tests use the same cores.
  const report = await runSuite({ worker, parallel: 5, patience: 2 });
  const failed = report.verdicts.filter(({ passed }) => !passed);
  expect(
    failed.map(({ id }) => id),
    table(report).join('\n'),
  ).toEqual([]);
  expect(report.conforms).toBe(true);
});

test('each case has a name of its own', () => {
  const ids = CASES.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});
