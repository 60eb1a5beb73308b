import type { Case } from './cases/case.js';
import { CASES } from './cases/index.js';
import { type RunOptions, runCase } from './run-case.js';
import type { Verdict } from './verdict.js';

/** What is run, and how. */
export interface SuiteOptions extends RunOptions {
  /** Ids of cases; absent: all. */
  readonly only?: readonly string[];
  /** Cases that are played at once, each with a gateway and a worker of its own. */
  readonly parallel: number;
  /** Told of each verdict as it falls. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

/** How a worker did. */
export interface Report {
  /** In the order of the cases. */
  readonly verdicts: readonly Verdict[];
  /** No `must` has failed. */
  readonly conforms: boolean;
}

/**
 * Plays the cases against a worker.
 *
 * @throws RangeError for a case that does not exist
 */
export async function runSuite(options: SuiteOptions): Promise<Report> {
  const cases = chosen(options.only);
  const verdicts = new Map<string, Verdict>();
  const waiting = [...cases];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const verdict = await runCase(next, options);
      verdicts.set(next.id, verdict);
      options.onVerdict?.(verdict);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.parallel) }, lane));
  const inOrder = cases.flatMap(({ id }) => verdicts.get(id) ?? []);
  return {
    verdicts: inOrder,
    conforms: inOrder.every(({ grade, passed }) => passed || grade !== 'must'),
  };
}

function chosen(only: readonly string[] | undefined): readonly Case[] {
  if (!only) return CASES;
  const strange = only.filter((id) => !CASES.some((each) => each.id === id));
  if (strange.length > 0) throw new RangeError(`no such case: ${strange.join(', ')}`);
  return CASES.filter(({ id }) => only.includes(id));
}
