import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from '@echomq/sdk';
import type { Check } from './books.js';
import type { StoredJob } from './stored-queue.js';

/** The language of each worker by its name, as its session told the gateway. */
export type Languages = Map<string, string>;

const LOOK_EVERY_MS = 100;
const LIMIT_MS = 15_000;

/**
 * Notes what the gateway lists of these workers.
 *
 * @throws Error when one is not listed in time
 */
export async function noteLanguages(
  { queue, languages }: { readonly queue: Queue<object>; readonly languages: Languages },
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  for (;;) {
    for (const { name, sdk } of await queue.getWorkers()) {
      if (sdk) languages.set(name, sdk.language);
    }
    const missing = names.filter((name) => !languages.has(name));
    if (missing.length === 0) return;
    if (performance.now() > until) throw new Error(`not listed: ${missing.join(', ')}`);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** How many jobs ended in the hands of each language, the most first. */
export function jobsByLanguage(
  jobs: Iterable<StoredJob>,
  languages: Languages,
): readonly (readonly [language: string, jobs: number])[] {
  const counts = new Map([...languages.values()].map((language) => [language, 0]));
  for (const { worker } of jobs) {
    const language = languages.get(worker) ?? `unknown (${worker})`;
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Every language has worked, and no job was worked by somebody else. */
export function checkLanguages(counts: ReturnType<typeof jobsByLanguage>): Check {
  return {
    what: 'every job was finished by a worker whose language is known, and every language worked',
    problems: counts.flatMap(([language, jobs]) => {
      if (language.startsWith('unknown')) return [`${jobs} jobs by ${language}`];
      return jobs === 0 ? [`no job by ${language}`] : [];
    }),
  };
}
