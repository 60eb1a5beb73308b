import { inFull, skipNote } from '@echomq/languages';
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

const whole = inFull({ tool: '' });
const SHORT = 6;

// Each is a worker of its own; a short run plants some.
catches(faults.slice(0, SHORT), '');
catches(faults.slice(SHORT), skipNote(whole));

function catches(planted: typeof faults, note: string): void {
  test.skipIf(note !== '').concurrent.for(planted)(
    `the fault "%s" is caught by %j${note}`,
    { timeout: 120_000 },
    async ([fault, only], { expect }) => {
      const options = { worker: faulty(fault), only, parallel: only.length, patience: 1 };
      const { verdicts } = await runSuite(options);
      expect(verdicts.filter(({ passed }) => passed)).toEqual([]);
      // For what it did, not because it never came to do it.
      for (const { transcript } of verdicts) expect(transcript).not.toEqual([]);
    },
  );
}
