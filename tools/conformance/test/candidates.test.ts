import { inFull, skipNote } from '@echomq/languages';
import { expect, type TestContext, test } from 'vitest';
import { CASES } from '../src/cases/index.js';
import { runSuite, type SuiteOptions } from '../src/suite.js';
import { table } from '../src/table.js';
import { SOME_CASES } from './some-cases.js';
import { faulty, SAMPLE_WORKER } from './workers.js';

const WORKERS = [
  ['the sample worker of the SDK', SAMPLE_WORKER, {}],
  ['the sample worker of the SDK, with an older gateway,', SAMPLE_WORKER, { older: true }],
  ['the worker without faults', faulty(), {}],
] as const;

const whole = inFull({ tool: '' });

test.skipIf('missing' in whole).concurrent.for(WORKERS)(
  `%s passes every case${skipNote(whole)}`,
  { timeout: 600_000 },
  ([, worker, more], test) => passes({ worker, ...more }, test),
);

test.runIf('missing' in whole).concurrent.for(WORKERS)(
  `%s passes ${SOME_CASES.length} cases`,
  { timeout: 120_000 },
  ([, worker, more], test) => passes({ worker, only: SOME_CASES, ...more }, test),
);

async function passes(
  played: Pick<SuiteOptions, 'worker' | 'only' | 'older'>,
  { expect }: Pick<TestContext, 'expect'>,
): Promise<void> {
  // Patient, because other tests use the same cores.
  const report = await runSuite({ ...played, parallel: 5, patience: 2 });
  const failed = report.verdicts.filter(({ passed }) => !passed);
  expect(
    failed.map(({ id }) => id),
    table(report).join('\n'),
  ).toEqual([]);
  expect(report.conforms).toBe(true);
}

test('each case has a name of its own', () => {
  const ids = CASES.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});
