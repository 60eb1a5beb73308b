import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTests } from './find-tests.js';
import { missing, page } from './page.js';
import { type Results, resultsIn, resultsOf } from './results.js';
import { PAGE, ROOT } from './root.js';

// `pnpm --filter @echomq/scenarios document [soak|page]`: runs the quick tests, the soak tests or none, and writes the
// page. What was not run keeps its last result.
const form = process.argv[2] ?? 'quick';
const tests = findTests(ROOT);
const old = existsSync(join(ROOT, PAGE)) ? readFileSync(join(ROOT, PAGE), 'utf8') : '';
const results = new Map([...resultsIn(old), ...(form === 'page' ? [] : run(form === 'soak'))]);
writeFileSync(join(ROOT, PAGE), page(tests, results));
for (const { id, kind } of missing(tests)) process.stdout.write(`no test: ${id} ${kind}\n`);

function run(soak: boolean): Results {
  const files = new Set(
    tests
      .filter(({ file, todo }) => !todo && file.endsWith('.soak.test.ts') === soak)
      .map(({ file }) => file),
  );
  if (files.size === 0) return new Map();
  const folder = mkdtempSync(join(tmpdir(), 'echomq-scenarios-'));
  try {
    const report = join(folder, 'report.json');
    const config = soak ? ['--config', 'vitest.soak.config.ts'] : [];
    const args = ['-t', 'T[0-9]{3}', '--reporter=default', '--reporter=json'];
    spawnSync(
      'npx',
      ['vitest', 'run', ...config, ...args, `--outputFile.json=${report}`, ...files],
      { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    return resultsOf(JSON.parse(readFileSync(report, 'utf8')), ROOT);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
