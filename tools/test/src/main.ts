import { LANGUAGES, SMOKE, toolchain } from '@echomq/languages';
import { ensureServer } from '@echomq/local-redis';
import { type Report, type Runner, sum, totalLine } from './runner.js';
import { CI_RUNNERS, RUNNERS } from './runners/index.js';

/**
 * The README's test command, after the build: a Redis server, every runner, one sum in the last line. In CI the short soak too.
 *
 * @param args filters for Vitest (paths, `--project core`, `-t name`); with any, it alone runs
 * @returns the exit status: 0 when every test of every runner passed
 */
export async function main(args: readonly string[]): Promise<number> {
  const filters = args[0] === '--' ? args.slice(1) : args;
  try {
    const server = await ensureServer(console.log);
    console.log(`Tests start private servers of ${server.binary} ${server.version}.`);
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
  if (process.env.ECHOMQ_REDIS_URL) {
    console.log('ECHOMQ_REDIS_URL is set; the tests keep to private servers all the same.');
  }
  // In full they take minutes, and Java and Rust are built for minutes before their first test; CI does it.
  process.env.ECHOMQ_LANGUAGES ??= process.env.CI ? 'all' : SMOKE;
  if (filters.length === 0) prepare();
  if (filters.length > 0) return runAll(RUNNERS.slice(0, 1), filters);
  return runAll(process.env.CI ? [...RUNNERS, ...CI_RUNNERS] : RUNNERS, []);
}

/** Sets the other languages' tools up before tests ask for them, several at once. */
function prepare(): void {
  for (const name of LANGUAGES) {
    const chain = toolchain(name);
    console.log(`${name}: ${'missing' in chain ? `skipped: ${chain.missing}` : chain.tool}`);
  }
}

/**
 * Runs each runner, prints its totals, its problems, and the sum as the last line.
 *
 * @returns 0, or 1 when anything failed
 */
export async function runAll(
  runners: readonly Runner[],
  filters: readonly string[],
  print: (line: string) => void = console.log,
): Promise<number> {
  const reports: Report[] = [];
  for (const runner of runners) {
    const report = await runner.run(filters).catch(couldNotRun);
    reports.push(report);
    for (const problem of report.problems) print(`${runner.name}: ${problem}`);
    print(`${runner.name}: ${totalLine(report)}`);
  }
  const total = sum(reports);
  print('');
  print(totalLine(total));
  return total.failed > 0 ? 1 : 0;
}

function couldNotRun(error: Error): Report {
  return { passed: 0, failed: 1, skipped: 0, problems: [`could not run: ${error.message}`] };
}
