import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { differencesPage } from '../src/report/differences-page.js';
import { plainTable } from '../src/report/table.js';
import './task-meta.js';

const PAGE = fileURLToPath(new URL('../../../docs/compatibility-differences.md', import.meta.url));

/** Prints the oracle's table after a run; with `ECHOMQ_COMPAT_WRITE` and no failure it renews the page in docs. */
export default class OracleReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules
      .flatMap((module) => [...module.children.allTests()])
      .flatMap((test) => test.meta().oracle ?? []);
    if (results.length === 0) return;
    process.stdout.write(`\n${plainTable(results)}\n\n`);
    if (!process.env.ECHOMQ_COMPAT_WRITE || results.some(({ unlisted }) => unlisted > 0)) return;
    writeFileSync(PAGE, differencesPage());
    process.stdout.write(`wrote ${PAGE}\n`);
  }
}
