import { afterEach, expect, it, vi } from 'vitest';
import { Deadlines } from '../src/embedded/deadlines.js';

const deadlines = new Deadlines();

afterEach(() => {
  deadlines.close();
  vi.useRealTimers();
});

function watched(ms: number, name: string, told: string[]) {
  const deadline = { at: performance.now() + ms, late: () => void told.push(name) };
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
  deadlines.forget(100, ended);
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
  deadlines.forget(50, watched(50, 'a', told));
  vi.advanceTimersByTime(60);
  watched(50, 'b', told);
  vi.advanceTimersByTime(50);
  expect(told).toEqual(['b']);
});
