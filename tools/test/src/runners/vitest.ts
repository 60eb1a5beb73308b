import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.js';
import type { Report, Runner } from '../runner.js';
import { skippedNames, type VitestJson, vitestReport } from './vitest-report.js';

/** Every TypeScript package: one root Vitest with a project for each. */
export const vitest: Runner = { name: 'vitest', run: (filters) => runVitest(filters) };

/**
 * Runs Vitest and counts.
 *
 * @param env added to this process's environment
 */
export async function runVitest(
  filters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-test-'));
  try {
    const output = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
    const child = spawn(process.execPath, [binary(), 'run', ...reporters, ...filters], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...privateServersOnly(), ...env },
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    const json = existsSync(output) ? parse(output) : undefined;
    // A run that names tests skips all others.
    if (filters.length === 0)
      for (const name of skippedNames(json)) console.log(`skipped: ${name}`);
    return vitestReport(json, status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function binary(): string {
  const vitestPackage = createRequire(join(ROOT, 'package.json')).resolve('vitest/package.json');
  return join(dirname(vitestPackage), 'vitest.mjs');
}

function parse(path: string): VitestJson {
  return JSON.parse(readFileSync(path, 'utf8')) as VitestJson;
}

/** No test may reach the server that a user has named for real work. */
function privateServersOnly(): NodeJS.ProcessEnv {
  const { ECHOMQ_REDIS_URL: _theirs, ...env } = process.env;
  return env;
}
