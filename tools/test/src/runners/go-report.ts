import type { Report } from '../runner.js';
import type { Ended } from './step.js';

/** One line of `go test -json`. */
interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
}

/**
 * Counts a run of `go test -json`; subtests count, tests that have some do as well. A package that failed although none
 * of its tests did (it does not build, or its process died) counts as one failed.
 *
 * @param print gets a line for each test, and all that failed ones wrote
 */
export function goReport({ status, output }: Ended, print: (line: string) => void): Report {
  const counts = { pass: 0, fail: 0, skip: 0 };
  const problems: string[] = [];
  const written = new Map<string, string>();
  const failedIn = new Set<string>();
  for (const { Action, Package = '', Test, Output = '' } of events(output)) {
    const name = Test === undefined ? Package : `${Package} ${Test}`;
    if (Action === 'output') written.set(name, (written.get(name) ?? '') + Output);
    if (Action !== 'pass' && Action !== 'fail' && Action !== 'skip') continue;
    if (Action === 'fail') print(written.get(name) ?? '');
    if (Test === undefined) {
      if (Action === 'fail' && !failedIn.has(Package)) problems.push(`${Package} failed`);
      continue;
    }
    print(`${Action} ${name}`);
    counts[Action] += 1;
    if (Action === 'fail') failedIn.add(Package);
  }
  if (status !== 0 && counts.fail + problems.length === 0) {
    problems.push(`go test ended with status ${status}: ${output.trim().split('\n')[0] ?? ''}`);
  }
  const failed = counts.fail + problems.length;
  return { passed: counts.pass, failed, skipped: counts.skip, problems };
}

function events(output: string): GoEvent[] {
  return output.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line) as GoEvent] : [];
    } catch {
      return [];
    }
  });
}
