import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CANDIDATES } from '../src/candidates.js';
import { CASES } from '../src/cases/index.js';
import { GRADES_PAGE } from '../src/grade-all.js';
import { gradesLanguages } from './languages.js';
import { SOME_CASES } from './some-cases.js';

// languages.soak.test.ts plays all.
gradesLanguages(SOME_CASES, { parallel: SOME_CASES.length, timeout: 240_000 });

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
