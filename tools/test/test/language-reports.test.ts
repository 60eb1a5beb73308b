import { describe, expect, it } from 'vitest';
import { goReport } from '../src/runners/go-report.js';
import { unittestReport } from '../src/runners/unittest-report.js';

describe('unittestReport', () => {
  it('counts what passed, failed and was skipped', () => {
    const output =
      'test_a ... ok\n\nRan 7 tests in 0.5s\n\nFAILED (failures=1, errors=2, skipped=1)\n';
    expect(unittestReport({ status: 1, output })).toEqual({
      passed: 3,
      failed: 3,
      skipped: 1,
      problems: [],
    });
    expect(unittestReport({ status: 0, output: '\nRan 1 test in 0.1s\n\nOK\n' }).passed).toBe(1);
  });

  it('counts a run without a report, and one that ended badly all the same', () => {
    expect(unittestReport({ status: 1, output: 'SyntaxError' }).failed).toBe(1);
    expect(unittestReport({ status: 139, output: '\nRan 2 tests in 1s\n\nOK\n' })).toMatchObject({
      passed: 2,
      failed: 1,
    });
  });
});

describe('goReport', () => {
  const lines = (...events: object[]) => events.map((event) => JSON.stringify(event)).join('\n');

  it('counts tests, and prints what a failed one wrote', () => {
    const printed: string[] = [];
    const output = lines(
      { Action: 'pass', Package: 'p', Test: 'TestA' },
      { Action: 'skip', Package: 'p', Test: 'TestB' },
      { Action: 'output', Package: 'p', Test: 'TestC', Output: 'it is wrong\n' },
      { Action: 'fail', Package: 'p', Test: 'TestC' },
      { Action: 'fail', Package: 'p' },
    );
    const report = goReport({ status: 1, output }, (line) => printed.push(line));
    expect(report).toEqual({ passed: 1, failed: 1, skipped: 1, problems: [] });
    expect(printed).toContain('it is wrong\n');
  });

  it('counts a package that does not build', () => {
    const output = lines({ Action: 'fail', Package: 'p' });
    expect(goReport({ status: 1, output }, () => {})).toMatchObject({
      failed: 1,
      problems: ['p failed'],
    });
    expect(goReport({ status: 2, output: 'go: no module' }, () => {}).problems).toEqual([
      'go test ended with status 2: go: no module',
    ]);
  });
});
