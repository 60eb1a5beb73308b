import type { Report } from '../runner.js';

/** The part of Vitest's JSON report that is read here. */
export interface VitestJson {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Counts a run. A file that failed although none of its tests did (it could not be loaded, a hook
 * failed, it left something behind) counts as one failed; so does a run that ended badly although
 * no file failed.
 *
 * @param json `undefined` when Vitest wrote no report
 * @param status the exit status of Vitest; `null` when a signal ended it
 */
export function vitestReport(json: VitestJson | undefined, status: number | null): Report {
  const problems = (json?.testResults ?? [])
    .filter(({ status: file, assertionResults: tests }) => {
      return file === 'failed' && !tests.some((test) => test.status === 'failed');
    })
    .map(({ name, message }) => `${name} failed outside its tests: ${firstLine(message)}`);
  const failedTests = json?.numFailedTests ?? 0;
  if (json === undefined) problems.push(`Vitest ended (status ${status}) without a report`);
  else if (status !== 0 && failedTests + problems.length === 0) {
    problems.push(`Vitest ended with status ${status} although no test failed`);
  }
  return {
    passed: json?.numPassedTests ?? 0,
    failed: failedTests + problems.length,
    skipped: (json?.numPendingTests ?? 0) + (json?.numTodoTests ?? 0),
    problems,
  };
}

/** The full names of the tests that were skipped; most end with why. */
export function skippedNames(json: VitestJson | undefined): readonly string[] {
  return (json?.testResults ?? []).flatMap(({ assertionResults: tests }) =>
    tests.filter(({ status }) => SKIPPED.includes(status)).map(({ fullName }) => fullName),
  );
}

const SKIPPED: readonly string[] = ['skipped', 'pending', 'todo'];

function firstLine(message = ''): string {
  return message.trim().split('\n')[0] ?? '';
}
