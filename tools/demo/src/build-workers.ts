import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { BUILD_WORKER } from '@echomq/languages';
import { spawnGuarded } from '@echomq/local-redis';
import type { Surroundings } from './stage.js';

/** How a build is started. Node runs the script with the language behind it. */
export interface Builder {
  readonly script: string;
  /** A line tells who is still built, each so many ms. */
  readonly tellEveryMs: number;
}

const BUILDER: Builder = { script: BUILD_WORKER, tellEveryMs: 10_000 };
/** What need not be built: it came with the demo. */
const OWN = 'ts';

/**
 * Makes the programs of the workers in other languages, side by side, and says how it goes. A first build takes
 * minutes in some; what is there already is only looked at.
 *
 * @throws Error with each language that has no program and why, or the signal's reason
 */
export async function buildWorkers(
  languages: readonly string[],
  { env, say, signal }: Pick<Surroundings, 'env' | 'say' | 'signal'>,
  builder: Builder = BUILDER,
): Promise<void> {
  const building = new Set(languages.filter((language) => language !== OWN));
  if (building.size === 0) return;
  const names = [...building];
  say(`Building the workers in ${names.join(', ')}: minutes the first time, seconds then`);
  const startedAt = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedAt) / 1_000)} s`;
  const tell = () => say(`  ${seconds()}: still building ${[...building].join(', ')}`);
  const timer = setInterval(tell, builder.tellEveryMs);
  const problems: string[] = [];
  const build = async (language: string): Promise<void> => {
    const problem = await buildOne(language, { env, signal, builder });
    building.delete(language);
    if (signal.aborted) return;
    say(`  ${seconds()}: ${language} ${problem === undefined ? 'is built' : 'cannot be built'}`);
    if (problem !== undefined) problems.push(`the worker in ${language}: ${problem}`);
  };
  await Promise.all(names.map(build)).finally(() => clearInterval(timer));
  signal.throwIfAborted();
  if (problems.length > 0) throw new Error(problems.join('\n  '));
}

interface Build {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly builder: Builder;
}

/** @returns why there is no program, or undefined */
async function buildOne(
  language: string,
  { env, signal, builder }: Build,
): Promise<string | undefined> {
  const child = spawnGuarded({
    binary: process.execPath,
    args: [builder.script, language],
    cwd: process.cwd(),
    env,
    output: 'pipe',
  });
  // Its compiler is in its group, and ends with it.
  const abort = () => void child.kill('SIGKILL');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const [status] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', abort);
  return status === 0 ? undefined : lines.join('\n  ') || `its build ended with ${status}`;
}
