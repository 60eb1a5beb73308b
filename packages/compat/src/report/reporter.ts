import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { differencesPage } from './differences-page.js';
import { plainTable } from './table.js';
import './task-meta.js';

/**
 * Prints the oracle's table after a run, and writes the page of differences where `ECHOMQ_COMPAT_WRITE` names a file and
 * nothing failed.
 */
export default class OracleReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules
      .flatMap((module) => [...module.children.allTests()])
      .flatMap((test) => test.meta().oracle ?? []);
    if (results.length === 0) return;
    process.stdout.write(`\n${plainTable(results)}\n\n`);
    const page = process.env.ECHOMQ_COMPAT_WRITE;
    if (page && results.every(({ unlisted }) => unlisted === 0)) {
      writeFileSync(page, differencesPage());
      process.stdout.write(`wrote ${page}\n`);
    }
  }
}
