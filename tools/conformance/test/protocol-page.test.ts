import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAGE, withCaseTable } from '../src/document.js';

test('docs/protocol.md has the table of the cases as they are', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toBe(withCaseTable(page));
});
