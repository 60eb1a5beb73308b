import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CANDIDATES } from '../src/candidates.js';
import { CASES } from '../src/cases/index.js';
import { GRADES_PAGE } from '../src/grade-all.js';
import { gradesLanguages } from './languages.js';

/** One of each kind of trouble; languages.soak.test.ts plays all. */
const SOME = [
  'window-full',
  'ack-retryable',
  'signal-lock-lost',
  'recall',
  'unanswered-report',
  'reconnect',
  'oversize-read',
  'sigterm',
] as const;

gradesLanguages(SOME, { parallel: SOME.length, timeout: 240_000 });

test('docs/conformance.md has a row for each case and a column for each candidate, all passed', () => {
  const page = readFileSync(GRADES_PAGE, 'utf8');
  const rows = (page.split('<!-- grades')[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows.map((row) => row.split('`')[1])).toEqual(CASES.map(({ id }) => id));
  expect(page).toContain(
    `| Case | Grade | ${Object.keys(CANDIDATES)
      .map((n) => `\`${n}\``)
      .join(' | ')} |`,
  );
  expect(page).not.toContain('**fail**');
});
