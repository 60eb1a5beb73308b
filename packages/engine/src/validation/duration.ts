import { InvalidRequest } from '@echomq/core';
import type { Duration } from '@echomq/proto/messages';
import { MAX_DELAY_MS, MAX_INSTANT_MS } from './time-bounds.js';

/** Bounds of a span in ms. Absent: from 0 to a hundred years. */
export interface DurationBounds {
  readonly min?: number;
  readonly max?: number;
}

/**
 * A span in whole milliseconds, rounded up, so that nobody waits for less than was asked. An absent one is `fallback`,
 * which is not checked.
 *
 * @throws InvalidRequest for a span that is no number, has nanoseconds out of their range or of the other sign, or lies
 * outside the bounds.
 */
export function durationMs(
  duration: Duration | undefined,
  field: string,
  bounds: DurationBounds & { readonly fallback: number },
): number;
export function durationMs(
  duration: Duration | undefined,
  field: string,
  bounds?: DurationBounds,
): number | undefined;
export function durationMs(
  duration: Duration | undefined,
  field: string,
  bounds: DurationBounds & { readonly fallback?: number } = {},
): number | undefined {
  if (duration === undefined || duration === null) return bounds.fallback;
  const { min = 0, max = MAX_DELAY_MS } = bounds;
  const { seconds, nanos } = duration;
  if (!Number.isSafeInteger(seconds) || !Number.isInteger(nanos) || Math.abs(nanos) > 999_999_999) {
    throw new InvalidRequest(field, 'is no duration of whole seconds and up to 999,999,999 ns');
  }
  if ((seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0)) {
    throw new InvalidRequest(field, 'has seconds and nanoseconds of different sign');
  }
  const ms = seconds * 1_000 + nanos / 1_000_000;
  if (ms < min || ms > max) {
    throw new InvalidRequest(field, `must lie between ${min} ms and ${max} ms`);
  }
  return Math.ceil(ms);
}

/**
 * An instant in ms since the epoch.
 *
 * @throws InvalidRequest for an invalid date, one before 1970 or after the year 9999.
 */
export function instantMs(instant: Date, field: string): number {
  const ms = instant instanceof Date ? instant.getTime() : Number.NaN;
  if (ms >= 0 && ms <= MAX_INSTANT_MS) return Math.ceil(ms);
  throw new InvalidRequest(field, 'must be an instant from 1970 to 9999');
}
