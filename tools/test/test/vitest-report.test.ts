import { describe, expect, it } from 'vitest';
import { skippedNames, type VitestJson, vitestReport } from '../src/runners/vitest-report.js';

const json = (more: Partial<VitestJson>): VitestJson => ({
  numPassedTests: 2,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [
    {
      name: 'a.test.ts',
      status: 'passed',
      assertionResults: [{ status: 'passed', fullName: 'a' }],
    },
  ],
  ...more,
});

describe('vitestReport', () => {
  it('counts tests', () => {
    expect(vitestReport(json({}), 0)).toEqual({ passed: 2, failed: 0, skipped: 2, problems: [] });
  });

  it('counts failed tests once', () => {
    const failed = {
      name: 'a',
      status: 'failed',
      assertionResults: [{ status: 'failed', fullName: 'a' }],
    };
    const report = vitestReport(json({ numFailedTests: 1, testResults: [failed] }), 1);
    expect(report).toMatchObject({ failed: 1, problems: [] });
  });

  it('counts a file that failed outside its tests', () => {
    const message = 'left behind by this file: 1 × Timeout\n  at …';
    const tests = [{ status: 'passed', fullName: 'a' }];
    const file = { name: 'a.test.ts', status: 'failed', message, assertionResults: tests };
    expect(vitestReport(json({ testResults: [file] }), 1)).toMatchObject({
      failed: 1,
      problems: ['a.test.ts failed outside its tests: left behind by this file: 1 × Timeout'],
    });
  });

  it('counts a run that ended badly although no test failed', () => {
    expect(vitestReport(json({}), 1)).toMatchObject({
      failed: 1,
      problems: ['Vitest ended with status 1 although no test failed'],
    });
  });

  it('counts a run without a report', () => {
    expect(vitestReport(undefined, null)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      problems: ['Vitest ended (status null) without a report'],
    });
  });
});

it('names what was skipped', () => {
  const tests = ['passed', 'skipped', 'pending', 'todo', 'failed'].map((status) => ({
    status,
    fullName: `${status} (why)`,
  }));
  const file = { name: 'a', status: 'passed', assertionResults: tests };
  expect(skippedNames(json({ testResults: [file] }))).toEqual([
    'skipped (why)',
    'pending (why)',
    'todo (why)',
  ]);
  expect(skippedNames(undefined)).toEqual([]);
});
