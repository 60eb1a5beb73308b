import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './root.js';

/** Where a language's tool is, or why there is none. */
export type Toolchain = { readonly tool: string } | { readonly missing: string };

/** The exit status of a script of bin/ that has not found its tool; what it printed says why. */
const MISSING = 3;

const known = new Map<string, Toolchain>();

/** Languages whose tools may be missing; each has a script in bin/. */
export const LANGUAGES = ['python', 'go', 'java', 'rust'] as const;

/** One of {@link LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number];

/** What `ECHOMQ_LANGUAGES` is for a run in which each language has a word, and no more. */
export const SMOKE = 'smoke';

/** Languages that are built for minutes before their first test. */
const SLOW: readonly string[] = ['java', 'rust'];

const HOW = 'ECHOMQ_LANGUAGES=all runs it';

/**
 * What is left of a finding when the languages' tests run in short: nothing, and how to have it. `pnpm test` runs them in
 * short, CI and `ECHOMQ_LANGUAGES=all` in full.
 */
export function inFull<T>(found: T): T | { readonly missing: string } {
  return process.env.ECHOMQ_LANGUAGES === SMOKE ? { missing: HOW } : found;
}

/**
 * The tool of a language: the Python of a virtual environment, made on the first call, Go, Maven or cargo. A language that
 * `ECHOMQ_LANGUAGES` leaves out counts as missing; unset or `all` leaves none out, {@link SMOKE} those that are slow.
 *
 * @throws Error when the script itself is broken
 */
export function toolchain(name: Language): Toolchain {
  const found = known.get(name) ?? find(name);
  known.set(name, found);
  return found;
}

/** Text to put behind a test's name: empty, or why it is skipped. */
export function skipNote(chain: Toolchain): string {
  return 'missing' in chain ? ` (skipped: ${chain.missing})` : '';
}

function find(name: string): Toolchain {
  const { ECHOMQ_LANGUAGES: asked = 'all' } = process.env;
  if (asked === SMOKE && SLOW.includes(name)) return { missing: HOW };
  if (asked !== 'all' && asked !== SMOKE && !asked.split(',').includes(name)) {
    return { missing: `ECHOMQ_LANGUAGES is ${asked}` };
  }
  const script = join(ROOT, 'tools/languages/bin', `${name}.sh`);
  const { status, stdout, stderr } = spawnSync('sh', [script], { encoding: 'utf8' });
  const said = stdout.trim();
  if (status === 0) return { tool: said };
  if (status === MISSING) return { missing: said };
  throw new Error(`${script} ended with ${status}: ${stderr}`);
}
