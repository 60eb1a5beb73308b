import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTests } from './find-tests.js';
import { missing, page } from './page.js';
import { type Results, resultsIn, resultsOf } from './results.js';
import { PAGE, ROOT } from './root.js';

// `pnpm --filter @echomq/scenarios document [quick|soak|page] [FILE …]`: runs the quick tests, the soak tests or none, of
// all files or of those named, and writes the page. What was not run keeps its last result.
const [form = 'quick', ...only] = process.argv.slice(2);
const fresh = form === 'page' ? [] : run(form === 'soak');
// What was written while they ran counts.
const tests = findTests(ROOT);
const old = existsSync(join(ROOT, PAGE)) ? readFileSync(join(ROOT, PAGE), 'utf8') : '';
const results = new Map([...resultsIn(old), ...fresh]);
writeFileSync(join(ROOT, PAGE), page(tests, results));
for (const { id, kind } of missing(tests)) process.stdout.write(`no test: ${id} ${kind}\n`);

function run(soak: boolean): Results {
  const named = findTests(ROOT).filter(({ todo }) => !todo);
  const ofForm = named.filter(({ file }) => file.endsWith('.soak.test.ts') === soak);
  const files = new Set(
    ofForm.map(({ file }) => file).filter((file) => only.length === 0 || only.includes(file)),
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
