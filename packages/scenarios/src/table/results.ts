import { relative } from 'node:path';

/** How each scenario's tests in a file ended, by `ID FILE`. */
export type Results = ReadonlyMap<string, 'passed' | 'failed'>;

/** What Vitest's JSON report says, as far as it is read. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

/** The results in a report. One failed test fails its scenario; tests that were left out say nothing. */
export function resultsOf(report: VitestReport, root: string): Results {
  const results = new Map<string, 'passed' | 'failed'>();
  for (const { name, assertionResults } of report.testResults) {
    const file = relative(root, name);
    for (const { ancestorTitles, title, status } of assertionResults) {
      if (status !== 'passed' && status !== 'failed') continue;
      const ids = [...ancestorTitles, title].flatMap(
        (text) => /^(T\d{3}(?:(?:, | and )T\d{3})*)\b/.exec(text)?.[1]?.match(/T\d{3}/g) ?? [],
      );
      for (const id of ids) {
        const key = `${id} ${file}`;
        if (results.get(key) !== 'failed') results.set(key, status);
      }
    }
  }
  return results;
}

/** The results in a page that was generated before, for what the newest run has left out. */
export function resultsIn(page: string): Results {
  const rows = page.matchAll(/^\| (T\d{3}) \| .* \| `([^`]+)` \| \w+ \| (passed|failed)\b/gm);
  return new Map(
    [...rows].map(([, id, file, result]) => [`${id} ${file}`, result as 'passed' | 'failed']),
  );
}
