import { afterEach, describe, expect, it, vi } from 'vitest';
import { CASES } from '../src/cases/index.js';
import { main } from '../src/main.js';
import type { Report } from '../src/suite.js';
import { splitCommand } from '../src/worker-process.js';
import { faulty } from './workers.js';

afterEach(() => vi.restoreAllMocks());

/** Runs the command and returns its exit code and what it printed. */
async function run(...args: readonly string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void errors.push(line));
  const code = await main(args);
  return { code, out: lines.join('\n'), err: errors.join('\n') };
}

/** The arguments that start a worker. */
function starts({ line, cwd }: ReturnType<typeof faulty>): string[] {
  return ['--worker', line, '--cwd', cwd];
}

describe('the command', () => {
  it('grades a worker in a table and exits with 0 when no must has failed', async () => {
    const { code, out } = await run(
      '--',
      ...starts(faulty()),
      '--only',
      'open-first,open-says-who',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^case +grade +result +what was seen$/m);
    expect(out).toMatch(/^open-first +must +passed +open of session /m);
    expect(out).toMatch(/^1 of 1 must, 1 of 1 should: the worker conforms$/m);
  });

  it('exits with 1 when a must has failed, and shows what went over the stream', async () => {
    const { code, out } = await run(...starts(faulty('open-twice')), '--only', 'open-first');
    expect(code).toBe(1);
    expect(out).toMatch(/^open-first +must +FAILED +stream 1 was opened twice$/m);
    expect(out).toMatch(/stream 1 -> open \{"worker":/);
    expect(out).toMatch(/^0 of 1 must, 0 of 0 should: the worker does not conform$/m);
  });

  it('exits with 0 when only a should has failed', async () => {
    const { code, out } = await run(...starts(faulty('no-capacity')), '--only', 'open-says-who');
    expect(code).toBe(0);
    expect(out).toContain('FAILED');
    expect(out).toContain('the worker conforms');
  });

  it('prints JSON', async () => {
    const { code, out } = await run(...starts(faulty()), '--only', 'open-says-who', '--json');
    expect(code).toBe(0);
    const { conforms, verdicts } = JSON.parse(out) as Report;
    expect(conforms).toBe(true);
    expect(verdicts).toEqual([
      {
        id: 'open-says-who',
        grade: 'should',
        rule: expect.stringContaining('load.capacity'),
        passed: true,
        seen: 'capacity 3, typescript 0, "faulty"',
        ms: expect.any(Number),
      },
    ]);
  });

  it('says what a worker printed that ends before it has begun', async () => {
    const { code, out } = await run('--worker', 'node --no-such-flag', '--only', 'open-first');
    expect(code).toBe(1);
    expect(out).toMatch(/^open-first +must +FAILED +the worker ended, with 9$/m);
    expect(out).toContain('worker: node: bad option: --no-such-flag');
  });

  it('says that there is no such program', async () => {
    const { code, out } = await run('--worker', 'no-such-program', '--only', 'open-first');
    expect(code).toBe(1);
    expect(out).toContain('worker: spawn no-such-program ENOENT');
  });

  it('lists its cases', async () => {
    const { code, out } = await run('--list');
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(CASES.length);
  });

  it.each([
    [[], 'Grades a worker'],
    [['--no-such-flag'], '--no-such-flag'],
    [['--worker', 'x', '--parallel', '0'], '--parallel must be a number above 0'],
    [['--worker', 'x', '--only', 'nothing'], 'no such case: nothing'],
  ])('refuses %j', async (args, words) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});

it('splits a command line as a shell does', () => {
  expect(splitCommand(`java -jar "my worker.jar" --name='a b' -x ""`)).toEqual([
    'java',
    '-jar',
    'my worker.jar',
    '--name=a b',
    '-x',
    '',
  ]);
});
