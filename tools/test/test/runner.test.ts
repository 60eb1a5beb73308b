import { describe, expect, it } from 'vitest';
import { runAll } from '../src/main.js';
import type { Report, Runner } from '../src/runner.js';

const runner = (name: string, report: Partial<Report>): Runner => ({
  name,
  run: async () => ({ passed: 0, failed: 0, skipped: 0, problems: [], ...report }),
});

/** Runs and gives the exit status and what was printed. */
async function run(...runners: Runner[]): Promise<{ status: number; lines: string[] }> {
  const lines: string[] = [];
  const status = await runAll(runners, [], (line) => lines.push(line));
  return { status, lines };
}

describe('runAll', () => {
  it('prints the totals of each runner, and the sum alone in the last line', async () => {
    const { status, lines } = await run(
      runner('one', { passed: 3, skipped: 1 }),
      runner('two', { passed: 4 }),
    );
    expect(lines).toEqual([
      'one: 3 passed, 0 failed, 1 skipped',
      'two: 4 passed, 0 failed, 0 skipped',
      '',
      '7 passed, 0 failed, 1 skipped',
    ]);
    expect(status).toBe(0);
  });

  it('fails when one runner has a failed test, and still runs the next', async () => {
    const { status, lines } = await run(runner('one', { failed: 2 }), runner('two', { passed: 1 }));
    expect(lines.at(-1)).toBe('1 passed, 2 failed, 0 skipped');
    expect(status).toBe(1);
  });

  it('counts a runner that could not run', async () => {
    const broken: Runner = { name: 'go', run: () => Promise.reject(new Error('no go here')) };
    const { status, lines } = await run(broken, runner('two', { passed: 1 }));
    expect(lines[0]).toBe('go: could not run: no go here');
    expect(lines.at(-1)).toBe('1 passed, 1 failed, 0 skipped');
    expect(status).toBe(1);
  });
});
