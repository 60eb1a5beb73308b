import { collect, fakeClock } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { DueTimer } from '../../src/dispatch/due-timer.js';
import { FetchPause } from '../../src/dispatch/fetch-pause.js';

describe('the timer of due jobs', () => {
  const scene = (aheadMs = 0) => {
    const clock = fakeClock(10_000);
    const fired = collect<number>('alarms');
    const timer = new DueTimer(
      clock,
      (storeMs) => storeMs - aheadMs,
      () => fired.push(clock.now()),
    );
    return { clock, fired, timer };
  };

  test('fires at its time, by the store’s clock', () => {
    const { clock, fired, timer } = scene(5_000);
    timer.set(16_000);
    clock.advance(999);
    expect(fired.items).toEqual([]);
    clock.advance(1);
    expect(fired.items).toEqual([11_000]);
    expect(timer.dueAt).toBeUndefined();
  });

  test('an earlier time goes before a later one, and not the other way round', () => {
    const { clock, fired, timer } = scene();
    timer.note(20_000);
    timer.note(12_000);
    timer.note(15_000);
    clock.advance(2_000);
    expect(fired.items).toEqual([12_000]);
  });

  test('what the store says last goes before what was noted', () => {
    const { clock, fired, timer } = scene();
    timer.note(12_000);
    timer.set(14_000);
    clock.advance(3_999);
    expect(fired.items).toEqual([]);
    timer.set(undefined);
    clock.advance(10_000);
    expect(fired.items).toEqual([]);
    expect(clock.due).toEqual([]);
  });

  test('a time that has passed fires soon, and does not spin', () => {
    const { clock, fired, timer } = scene();
    timer.set(1);
    clock.advance(1);
    expect(fired.items).toEqual([10_001]);
  });

  test('a span that no timer holds is looked at again', () => {
    const clock = fakeClock(0);
    const fired = collect<number>('alarms');
    const capped = {
      ...clock,
      now: () => clock.now(),
      setTimeout: (then: () => void, ms: number) => clock.setTimeout(then, Math.min(ms, 1_000)),
    };
    const timer = new DueTimer(
      capped,
      (ms) => ms,
      () => fired.push(clock.now()),
    );
    timer.set(3_500);
    clock.advance(10_000);
    expect(fired.items).toEqual([3_500]);
  });
});

describe('the pause of a queue', () => {
  const scene = () => {
    const clock = fakeClock();
    const over = collect<number>('ends');
    return { clock, over, pause: new FetchPause(clock, () => over.push(clock.now())) };
  };

  test('a limit holds as long as it says, 30 s at most without a look', () => {
    const { clock, over, pause } = scene();
    pause.limited(500);
    expect([pause.holds, pause.limitedForMs]).toEqual([true, 500]);
    clock.advance(501);
    expect([pause.holds, over.items]).toEqual([false, [501]]);
    pause.limited(3_600_000);
    clock.advance(30_001);
    expect(over.items).toHaveLength(2);
  });

  test('failures wait longer and longer, within bounds, and are no limit', () => {
    const { clock, over, pause } = scene();
    const waits: number[] = [];
    for (let at = 0; at < 12; at++) {
      pause.failed();
      expect(pause.limitedForMs).toBe(0);
      const [due = 0] = clock.due;
      waits.push(due - clock.now());
      clock.advance(waits.at(-1) ?? 0);
    }
    expect(waits[0]).toBeLessThan(300);
    expect(Math.max(...waits)).toBeLessThanOrEqual(12_502);
    expect(waits.at(-1)).toBeGreaterThan(7_000);
    expect(over.items).toHaveLength(12);
    pause.failed();
    pause.storeIsBack();
    expect(pause.holds).toBe(false);
    pause.close();
    expect(clock.due).toEqual([]);
  });
});
