import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTests, testsIn } from '../src/table/find-tests.js';
import { missing, page, withoutResults } from '../src/table/page.js';
import { resultsIn, resultsOf } from '../src/table/results.js';
import { PAGE, ROOT } from '../src/table/root.js';
import { SCENARIOS } from '../src/table/scenarios.js';

describe('the table of scenarios', () => {
  it('names every scenario, and its page is what the tests say', () => {
    const tests = findTests(ROOT);
    const known = new Set(SCENARIOS.map(({ id }) => id));
    expect(SCENARIOS.map(({ id }) => id).at(-1)).toBe('T130');
    expect(tests.flatMap(({ ids }) => ids).filter((id) => !known.has(id))).toEqual([]);
    for (const { id, kind } of missing(tests)) console.info(`no test: ${id} ${kind}`);
    // Else: pnpm --filter @echomq/scenarios document page
    const stored = readFileSync(join(ROOT, PAGE), 'utf8');
    expect(withoutResults(stored)).toBe(withoutResults(page(tests, new Map())));
  });

  it('reads names, plans and several ids at once', () => {
    const [open, close] = ['(', ')'];
    const text = [
      `it${open}'T${'001'} a kind: what', async () => {}${close}`,
      `it.todo${open}"T${'002'}, T${'003'} b: it's why"${close}`,
      `it.each([1])${open}\n  'T${'004'} and T${'005'} c: d'`,
      `it${open}'says T${'006'} in passing'`,
    ].join('\n');
    expect(testsIn(text, 'f').map(({ ids, todo, name }) => [ids.join('+'), todo, name])).toEqual([
      ['T001', false, 'T001 a kind: what'],
      ['T002+T003', true, "T002, T003 b: it's why"],
      ['T004+T005', false, 'T004 and T005 c: d'],
    ]);
  });

  it('takes results from a report, and keeps those of a page', () => {
    const test = (title: string, status: string) => ({ ancestorTitles: [], title, status });
    const assertionResults = [
      test('T001 a', 'passed'),
      test('T001 b', 'failed'),
      test('T002, T003 c', 'passed'),
      test('T004 d', 'skipped'),
      test('other', 'passed'),
    ];
    const results = resultsOf({ testResults: [{ name: '/r/x.test.ts', assertionResults }] }, '/r');
    expect([...results]).toEqual([
      ['T001 x.test.ts', 'failed'],
      ['T002 x.test.ts', 'passed'],
      ['T003 x.test.ts', 'passed'],
    ]);
    const one = (id: string) => ({ ids: [id], file: 'x.test.ts', todo: false, name: id });
    const text = page([one('T001'), one('T002'), one('T009')], results);
    expect([...resultsIn(text)]).toEqual([
      ['T001 x.test.ts', 'failed'],
      ['T002 x.test.ts', 'passed'],
    ]);
    expect(withoutResults(text)).toBe(
      withoutResults(page([one('T001'), one('T002'), one('T009')], new Map())),
    );
  });
});
