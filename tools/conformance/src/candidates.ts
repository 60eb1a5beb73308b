import { type Found, HELPERS, type LanguageWorker, ROOT, SAMPLE_WORKERS } from '@echomq/languages';
import type { WorkerCommand } from './worker-process.js';

/** What the suite grades: the sample workers, and the helpers alone. By the names of docs/conformance.md. */
export const CANDIDATES: Readonly<Record<string, LanguageWorker>> = {
  ...Object.fromEntries(
    Object.entries(SAMPLE_WORKERS).map(([name, worker]) => [`sample-${name}`, worker]),
  ),
  ...HELPERS,
};

/** How the suite starts a candidate, or why it cannot. */
export function commandOf(candidate: LanguageWorker): WorkerCommand | { readonly missing: string } {
  const found: Found = candidate.find();
  if ('missing' in found) return found;
  const variables = Object.entries(found.env).map(([name, value]) => `${name}=${value}`);
  const words = [
    // env becomes the worker itself: signals and the exit status are the worker's.
    ...(variables.length > 0 ? ['env', ...variables] : []),
    found.binary,
    ...found.args,
  ].map((word) => `"${word}"`);
  const place = '--address {address} --queue {queue} --concurrency {concurrency}';
  return { line: `${words.join(' ')} ${place}`, cwd: ROOT };
}
