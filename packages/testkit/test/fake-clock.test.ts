import { describe, expect, it } from 'vitest';
import { fakeClock } from '../src/clock/fake-clock.js';

describe('fakeClock', () => {
  it('runs what is due, in order, at its time', () => {
    const clock = fakeClock(1_000);
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.now()]);
    clock.setTimeout(note('late'), 20);
    clock.setTimeout(note('first'), 10);
    clock.setTimeout(note('second'), 10);
    const cancelled = clock.setTimeout(note('never'), 15);
    clock.clearTimeout(cancelled);
    expect(clock.due).toEqual([1_010, 1_010, 1_020]);

    clock.advance(9);
    expect(ran).toEqual([]);
    clock.advance(2);
    expect(ran).toEqual([
      ['first', 1_010],
      ['second', 1_010],
    ]);
    expect(clock.now()).toBe(1_011);
    clock.advance(100);
    expect(ran.at(-1)).toEqual(['late', 1_020]);
    expect(clock.due).toEqual([]);
  });

  it('runs within one advance what a timer sets', () => {
    const clock = fakeClock();
    let ticks = 0;
    const tick = (): void => {
      ticks += 1;
      clock.setTimeout(tick, 10);
    };
    clock.setTimeout(tick, 10);
    clock.advance(35);
    expect(ticks).toBe(3);
    expect(clock.due).toEqual([40]);
  });
});
