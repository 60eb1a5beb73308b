import type { BackoffOptions } from '@echomq/sdk';
import { InvalidArgumentError } from 'commander';
import { duration } from './duration.js';

/** Kinds that mean nothing without a span; a kind of the gateway's own may have its spans there. */
const NEEDS_SPAN = ['fixed', 'exponential'];

/** The wait between attempts: a span (`5s`), or a kind with its first span (`exponential:1s`). */
export function backoff(text: string): number | BackoffOptions {
  const [, type, span] = /^([A-Za-z][\w-]*)(?::(.+))?$/.exec(text) ?? [];
  if (type === undefined) return duration(text);
  if (span === undefined && NEEDS_SPAN.includes(type)) {
    throw new InvalidArgumentError(`It needs its first span: ${type}:1s.`);
  }
  return { type, ...(span === undefined ? {} : { delay: duration(span) }) };
}
