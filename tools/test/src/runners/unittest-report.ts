import type { Report } from '../runner.js';
import { type Ended, failure } from './step.js';

/** Counts a run of Python's unittest by the last lines that it wrote: `Ran 7 tests in …`, `OK (skipped=1)`. */
export function unittestReport({ status, output }: Ended): Report {
  const ran = /^Ran (\d+) tests? in /m.exec(output)?.[1];
  if (ran === undefined) return failure(`unittest ended (status ${status}) without a report`);
  const last = output.slice(output.lastIndexOf('\nRan '));
  const of = (word: string) => Number(new RegExp(`\\b${word}=(\\d+)`).exec(last)?.[1] ?? 0);
  const failed = of('failures') + of('errors') + of('unexpected successes');
  const skipped = of('skipped');
  const passed = Math.max(0, Number(ran) - failed - skipped);
  if (failed === 0 && status !== 0) {
    return { ...failure(`unittest ended with status ${status} although no test failed`), passed };
  }
  return { passed, failed, skipped, problems: [] };
}
