import { expect, test } from 'vitest';
import { Duration, durationToMs, msToDuration } from '../src/messages.js';

test.each([
  [0, 0, 0],
  [-0, 0, 0],
  [1, 0, 1_000_000],
  [1_500, 1, 500_000_000],
  [999.9999999, 1, 0],
  [-1_500.25, -1, -500_250_000],
  [-1, 0, -1_000_000],
  [0.5, 0, 500_000],
  [2 ** 53, 9_007_199_254_740, 992_000_000],
])('%d ms is %d s and %d ns', (ms, seconds, nanos) => {
  const duration = msToDuration(ms);
  expect(duration).toEqual({ seconds, nanos });
  expect(Duration.decode(Duration.encode(duration).finish())).toEqual(duration);
  expect(durationToMs(duration)).toBeCloseTo(ms, 5);
});

test('an absent duration stays absent', () => {
  expect(durationToMs(undefined)).toBeUndefined();
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d ms is refused', (ms) => {
  expect(() => msToDuration(ms)).toThrow(RangeError);
});
