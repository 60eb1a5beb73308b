import { expect, test } from 'vitest';
import { CASES } from '../src/cases/index.js';
import { FAULTS, type Fault } from '../src/faulty-worker/faults.js';
import { runSuite } from '../src/suite.js';
import { faulty } from './workers.js';

const faults = Object.entries(FAULTS) as [Fault, readonly string[]][];

test('each case is caught failing by a fault below', () => {
  const caught = new Set(faults.flatMap(([, cases]) => cases));
  expect([...caught].sort()).toEqual(CASES.map(({ id }) => id).sort());
});

test.concurrent.for(faults)(
  'the fault "%s" is caught by %j',
  { timeout: 120_000 },
  async ([fault, only], { expect }) => {
    const options = { worker: faulty(fault), only, parallel: only.length, patience: 1 };
    const { verdicts } = await runSuite(options);
    expect(verdicts.filter(({ passed }) => passed)).toEqual([]);
    // For what it did, not because it never came to do it.
    for (const { transcript } of verdicts) expect(transcript).not.toEqual([]);
  },
);
