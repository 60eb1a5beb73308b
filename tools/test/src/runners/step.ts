import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Report } from '../runner.js';

/** One command of a runner. */
export interface Step {
  /** How its failure is named. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a step ended. */
export interface Ended {
  /** The exit status; `null` when a signal ended it. */
  readonly status: number | null;
  /** All that it wrote, both streams. */
  readonly output: string;
}

/** Runs a step to its end. @throws Error when there is no such command */
export async function run({ command, args, cwd, env }: Step): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

/** A check that says nothing when it passes; it counts as one test. */
export async function check(step: Step): Promise<Report> {
  const { status, output } = await run(step);
  if (status === 0) return { passed: 1, failed: 0, skipped: 0, problems: [] };
  console.log(output);
  return failure(`${step.name} failed with status ${status}`);
}

/** The report of a runner whose language has no tools here. */
export function skipped(name: string, missing: string): Report {
  console.log(`${name}: all its tests are skipped: ${missing}`);
  return { passed: 0, failed: 0, skipped: 1, problems: [] };
}

/** A step that is left out; it counts as one skipped. @param why how to have it */
export function leftOut(name: string, why: string): () => Promise<Report> {
  return async () => {
    console.log(`skipped: ${name} (${why})`);
    return { passed: 0, failed: 0, skipped: 1, problems: [] };
  };
}

/** A failure that belongs to no single test. */
export function failure(problem: string): Report {
  return { passed: 0, failed: 1, skipped: 0, problems: [problem] };
}

/** Reports one after the other. */
export async function inTurn(steps: readonly (() => Promise<Report>)[]): Promise<Report> {
  const reports: Report[] = [];
  for (const step of steps) reports.push(await step());
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    skipped: reports.reduce((sum, { skipped }) => sum + skipped, 0),
    problems: reports.flatMap(({ problems }) => problems),
  };
}
