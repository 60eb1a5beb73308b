import { describe, expect, it } from 'vitest';
import { percentiles } from '../src/measures.js';
import { bars, oneLine } from '../src/progress.js';
import { bookLines } from '../src/table.js';

describe('progress', () => {
  it('has a line per location with a bar for its share, and never none for a job', () => {
    expect(bars({ waiting: 300, active: 1, completed: 99 })).toEqual([
      `waiting         300  ${'█'.repeat(30)}`,
      'prioritized       0  ',
      'delayed           0  ',
      'active            1  █',
      `completed        99  ${'█'.repeat(10)}`,
      'failed            0  ',
    ]);
  });

  it('has all of them in one line where lines cannot be drawn over', () => {
    expect(oneLine({ waiting: 3, failed: 1 })).toBe(
      'waiting 3  prioritized 0  delayed 0  active 0  completed 0  failed 1',
    );
  });
});

describe('percentiles', () => {
  it('takes the nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(percentiles(values)).toEqual({ p50: 100, p99: 198, of: 200 });
    expect(percentiles([])).toEqual({ p50: 0, p99: 0, of: 0 });
  });
});

describe('bookLines', () => {
  it('names what is right, and of what is wrong the first problems', () => {
    const many = ['1', '2', '3', '4', '5', '6', '7'];
    expect(
      bookLines([
        { what: 'sums', problems: [] },
        { what: 'places', problems: many },
      ]),
    ).toEqual([
      'right  sums',
      'WRONG  places',
      ...many.slice(0, 5).map((n) => `         ${n}`),
      '         and 2 more',
    ]);
  });
});
