import type { RedisClient } from '@echomq/core';
import { fakeClock } from '@echomq/testkit';
import { expect, test } from 'vitest';
import { StoreTime } from '../../src/wakeups/store-time.js';

/** A store whose clock is ahead, and whose answers take these times there and back. */
function scene(aheadMs: number, trips: readonly (readonly [number, number])[]) {
  const clock = fakeClock(1_000_000);
  let at = 0;
  const redis = {
    send: async () => {
      const [there, back] = trips[Math.min(at++, trips.length - 1)] ?? [0, 0];
      clock.advance(there);
      const us = Math.round((clock.now() + aheadMs) * 1_000);
      clock.advance(back);
      return [String(Math.floor(us / 1e6)), String(us % 1e6)];
    },
  } as unknown as RedisClient;
  return { time: new StoreTime(redis, clock), asked: () => at };
}

test('the fastest of a few answers tells the difference of the clocks', async () => {
  const { time, asked } = scene(300_000, [
    [80, 20],
    [0.1, 0.1],
  ]);
  await time.sample();
  expect(time.local(1_300_000)).toBeCloseTo(1_000_000 - 0.1, 3);
  expect(asked()).toBe(2);
});

test('in doubt a timer fires early, but not by much', async () => {
  const { time, asked } = scene(-300_000, [[40, 0]]);
  await time.sample();
  expect(asked()).toBe(5);
  const late = time.local(700_000) - 1_000_000;
  // The store read its clock at the very end: the middle is 20 ms off, of which 5 are made up for.
  expect(Math.abs(late)).toBeLessThanOrEqual(25);
});

test('a store that is away leaves what was known', async () => {
  const redis = { send: () => Promise.reject(new Error('away')) } as unknown as RedisClient;
  const time = new StoreTime(redis, fakeClock());
  await time.sample();
  expect(time.local(5)).toBe(5);
});
