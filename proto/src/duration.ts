import type { Duration } from '../gen/google/protobuf/duration.js';

const MS_PER_SECOND = 1_000;
const NANOS_PER_MS = 1_000_000;

/**
 * A span in milliseconds as `google.protobuf.Duration`. Fractions of a millisecond are kept down to the nanosecond.
 *
 * @throws RangeError when `ms` is not a finite number.
 */
export function msToDuration(ms: number): Duration {
  if (!Number.isFinite(ms)) throw new RangeError(`a duration must be finite, got ${ms}`);
  // Both parts carry the sign, as the message demands; `+ 0` turns -0 into 0.
  const seconds = Math.trunc(ms / MS_PER_SECOND) + 0;
  const nanos = Math.round((ms - seconds * MS_PER_SECOND) * NANOS_PER_MS) + 0;
  const carry = Math.trunc(nanos / (MS_PER_SECOND * NANOS_PER_MS));
  return { seconds: seconds + carry, nanos: nanos - carry * MS_PER_SECOND * NANOS_PER_MS };
}

/** A `google.protobuf.Duration` in milliseconds; `undefined` (the field is absent) stays `undefined`. */
export function durationToMs(duration: Duration): number;
export function durationToMs(duration: Duration | undefined): number | undefined;
export function durationToMs(duration: Duration | undefined): number | undefined {
  if (duration === undefined) return undefined;
  return duration.seconds * MS_PER_SECOND + duration.nanos / NANOS_PER_MS;
}
