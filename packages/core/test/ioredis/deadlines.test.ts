import { afterEach, expect, it, vi } from 'vitest';
import { Deadline, Deadlines } from '../../src/ioredis/deadlines.js';

const deadlines = new Deadlines();

afterEach(() => {
  deadlines.close();
  vi.useRealTimers();
});

class Named extends Deadline {
  constructor(
    readonly name: string,
    readonly at: number,
    private readonly told: string[],
  ) {
    super();
  }

  late(): void {
    this.told.push(this.name);
  }
}

function watched(ms: number, name: string, told: string[]) {
  const deadline = new Named(name, performance.now() + ms, told);
  deadlines.add(ms, deadline);
  return deadline;
}

it('tells each call of one length at its own time, and none that has ended, by one timer', () => {
  vi.useFakeTimers();
  const told: string[] = [];
  watched(100, 'a', told);
  vi.advanceTimersByTime(40);
  const ended = watched(100, 'b', told);
  watched(100, 'c', told);
  watched(30, 'short', told);
  expect(vi.getTimerCount()).toBe(2);
  deadlines.forget(ended);
  vi.advanceTimersByTime(30);
  expect(told).toEqual(['short']);
  vi.advanceTimersByTime(30);
  expect(told).toEqual(['short', 'a']);
  vi.advanceTimersByTime(39);
  expect(told).toEqual(['short', 'a']);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(['short', 'a', 'c']);
  expect(vi.getTimerCount()).toBe(0);
});

it('goes on after a time without calls', () => {
  vi.useFakeTimers();
  const told: string[] = [];
  deadlines.forget(watched(50, 'a', told));
  vi.advanceTimersByTime(60);
  watched(50, 'b', told);
  vi.advanceTimersByTime(50);
  expect(told).toEqual(['b']);
});

it('knows which are watched, of all lengths, and forgets one twice as once', () => {
  const told: string[] = [];
  const [a, b, c] = [
    watched(1_000, 'a', told),
    watched(2_000, 'b', told),
    watched(1_000, 'c', told),
  ];
  expect(deadlines.all()).toEqual([a, c, b]);
  deadlines.forget(a);
  deadlines.forget(a);
  expect(deadlines.all()).toEqual([c, b]);
  deadlines.forget(c);
  deadlines.forget(b);
  expect(deadlines.all()).toEqual([]);
});

it('watches on where one that is late begins another of its length', () => {
  vi.useFakeTimers();
  const told: string[] = [];
  class Again extends Named {
    override late(): void {
      super.late();
      watched(70, 'next', told);
    }
  }
  deadlines.add(70, new Again('first', performance.now() + 70, told));
  vi.advanceTimersByTime(70);
  expect(told).toEqual(['first']);
  vi.advanceTimersByTime(70);
  expect(told).toEqual(['first', 'next']);
});
