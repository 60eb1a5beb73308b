import { describe, expect, test } from 'vitest';
import { Pace } from '../../src/sessions/pace.js';

function paceOf(runs: readonly number[], trips: readonly number[], at = 0): Pace {
  const pace = new Pace();
  for (const ms of runs) pace.ran(ms);
  for (const ms of trips) pace.answered(ms, at);
  return pace;
}
const eight = (ms: number) => Array.from({ length: 8 }, () => ms);

describe('a worker may hold beyond its slots', () => {
  test('nothing before eight handlers and a round trip were seen', () => {
    expect(paceOf(eight(1), []).spare(10, 0)).toBe(0);
    expect(paceOf(eight(1).slice(1), [50]).spare(10, 0)).toBe(0);
    expect(paceOf(eight(1), [50]).spare(10, 0)).toBe(10);
  });

  test('nothing while one of the recent handlers ran as long as a round trip', () => {
    expect(paceOf([...eight(1).slice(1), 50], [50]).spare(10, 0)).toBe(0);
    expect(paceOf([...eight(1).slice(1), 49], [50]).spare(10, 0)).toBe(10);
    const pace = paceOf([500, ...eight(1)], [50]);
    expect(pace.spare(10, 0)).toBe(10);
    pace.ran(51);
    expect(pace.spare(10, 0)).toBe(0);
  });

  test('at most as many as it has slots, however short its handlers', () => {
    for (const slots of [1, 2, 100]) expect(paceOf(eight(0), [50]).spare(slots, 0)).toBe(slots);
  });

  test('by the shortest of the recent round trips, and those of the last 10 s alone', () => {
    expect(paceOf(eight(10), [50, 9, 50]).spare(4, 0)).toBe(0);
    const pace = paceOf(eight(10), [9], 0);
    pace.answered(50, 5_000);
    expect([pace.spare(4, 9_999), pace.spare(4, 10_000), pace.spare(4, 15_000)]).toEqual([0, 4, 0]);
  });

  test('where the store takes longer than the handlers, be the worker near or far', () => {
    const pace = paceOf(eight(0.2), [0.1]);
    expect(pace.spare(4, 0)).toBe(0);
    for (const ms of [5, 0.15, 7]) pace.stored(ms);
    expect(pace.spare(4, 0)).toBe(4);
    for (const ms of eight(0.05)) pace.stored(ms);
    expect(pace.spare(4, 0)).toBe(0);
  });

  test('nothing for ten minutes after a lease was lost', () => {
    const pace = paceOf(eight(1), [50]);
    pace.lost(1_000);
    const at = (now: number) => {
      pace.answered(50, now);
      return pace.spare(4, now);
    };
    expect([at(1_000), at(600_999), at(601_000)]).toEqual([0, 0, 4]);
  });

  test('nothing after a job had to wait for a long handler', () => {
    const pace = paceOf(eight(1), [50]);
    pace.slowed();
    expect(pace.spare(4, 0)).toBe(0);
  });
});
