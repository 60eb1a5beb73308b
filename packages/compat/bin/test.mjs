import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFirst, ROOT } from '../../../tools/build-first.mjs';

/** Runs this package's tests and prints the oracle's table; `--write` renews the page of differences in docs. */
buildFirst('@echomq/compat');
const args = process.argv.slice(2);
const reporter = fileURLToPath(new URL('../src/report/reporter.ts', import.meta.url));
const page = join(ROOT, 'docs/compatibility-differences.md');
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    'run',
    '--project=compat',
    '--reporter=default',
    `--reporter=${reporter}`,
    ...args.filter((arg) => arg !== '--write'),
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...(args.includes('--write') ? { ECHOMQ_COMPAT_WRITE: page } : {}) },
  },
);
process.exitCode = status ?? 1;
