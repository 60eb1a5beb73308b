/** How many tests a runner ran. */
export interface Totals {
  readonly passed: number;
  /** Failed tests, and everything else for which the run as a whole has failed. */
  readonly failed: number;
  readonly skipped: number;
}

/** What a runner reports when it has run. */
export interface Report extends Totals {
  /** What went wrong outside the tests themselves, one line each; each counts as one failed. */
  readonly problems: readonly string[];
}

/** What runs the tests of one language; it writes its progress to this process's output. */
export interface Runner {
  readonly name: string;
  /**
   * Runs all its tests, or those that `filters` name in the runner's own words.
   *
   * @returns its report, also when tests failed
   * @throws Error when it could not run at all
   */
  run(filters: readonly string[]): Promise<Report>;
}

/** The line at the end of everything: `N passed, N failed, N skipped`. */
export function totalLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** The sum over all runners. */
export function sum(all: readonly Totals[]): Totals {
  return all.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}
