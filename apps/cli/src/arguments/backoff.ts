import type { BackoffOptions } from '@echomq/sdk';
import { duration } from './duration.js';

/** The wait between attempts: a span (`5s`), or a kind with its first span (`exponential:1s`). */
export function backoff(text: string): number | BackoffOptions {
  const [, type, span] = /^([A-Za-z][\w-]*)(?::(.+))?$/.exec(text) ?? [];
  if (type === undefined) return duration(text);
  return { type, ...(span === undefined ? {} : { delay: duration(span) }) };
}
