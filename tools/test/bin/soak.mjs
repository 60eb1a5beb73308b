import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildFirst, ROOT } from '../../build-first.mjs';

// `pnpm soak [--long] [filters]`: Vitest over the *.soak.test.ts, with the real server that `pnpm test` takes.
buildFirst();
const { ensureServer } = await import('@echomq/local-redis');
const server = await ensureServer(console.log);
console.log(`Tests start private servers of ${server.binary} ${server.version}.`);

const args = process.argv.slice(2).filter((argument) => argument !== '--');
const long = args.includes('--long');
const filters = args.filter((argument) => argument !== '--long');
const { ECHOMQ_REDIS_URL: _theirs, ...env } = process.env;
if (long) env.ECHOMQ_SOAK = 'long';
const vitest = createRequire(import.meta.url).resolve('vitest/package.json', { paths: [ROOT] });
const { status } = spawnSync(
  process.execPath,
  [join(dirname(vitest), 'vitest.mjs'), 'run', '--config', 'vitest.soak.config.ts', ...filters],
  { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env },
);
process.exitCode = status ?? 1;
