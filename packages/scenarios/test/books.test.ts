import type { QueueDump } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { checkBooks } from '../src/books/check-books.js';
import { countsOf } from '../src/books/places.js';

const job = { name: 'job', data: '{}', opts: '{}', timestamp: '1', delay: '0', priority: '0' };

const GOOD: QueueDump = {
  wait: ['w'],
  active: ['a'],
  'waiting-children': [['p', 1]],
  delayed: [['repeat:s:5', 5]],
  completed: [['c', 1]],
  failed: [['f', 2]],
  'a:lock': 'token',
  'p:dependencies': ['bull:q:w'],
  repeat: [['s', 5]],
  'repeat:s': { name: 'job', every: '5', data: '{}' },
  meta: { 'opts.maxLenEvents': '10000' },
  w: job,
  a: job,
  p: job,
  'repeat:s:5': job,
  c: job,
  f: job,
};
const ids = ['w', 'a', 'p', 'repeat:s:5', 'c', 'f'];

describe('checkBooks', () => {
  it('finds nothing in a sound queue', () => {
    expect(checkBooks(GOOD, { accepted: ids })).toEqual([]);
    expect(countsOf(GOOD)).toEqual({
      wait: 1,
      delayed: 1,
      active: 1,
      'waiting-children': 1,
      completed: 1,
      failed: 1,
    });
  });

  it.each<[string, QueueDump, string[]]>([
    [
      'an id in two places',
      {
        ...GOOD,
        failed: [
          ['c', 2],
          ['f', 2],
        ],
      },
      ['c is in completed and failed'],
    ],
    ['an id twice in one', { ...GOOD, wait: ['w', 'w'] }, ['w is in wait and wait']],
    [
      'an id without a job',
      { ...GOOD, wait: ['w', 'ghost'] },
      ['ghost in wait has no job behind it'],
    ],
    ['a job in no place', { ...GOOD, completed: [] }, ['c is in no location']],
    ['a lock of nobody', { ...GOOD, 'w:lock': 'x' }, ['w has a lock and is not active']],
    [
      'a parent that nobody can release',
      { ...GOOD, 'p:dependencies': [] },
      ['p waits for children and has none that are pending'],
    ],
    ['a scheduler without a record', { ...GOOD, 'repeat:s': '' }, ['scheduler s has no record']],
    [
      'a scheduler that has died',
      {
        ...GOOD,
        delayed: [],
        completed: [
          ['c', 1],
          ['repeat:s:5', 1],
        ],
      },
      ['scheduler s has no next run'],
    ],
    [
      'a scheduler with two next runs',
      {
        ...GOOD,
        delayed: [
          ['repeat:s:5', 5],
          ['repeat:s:6', 6],
        ],
        'repeat:s:6': job,
      },
      ['scheduler s has 2 next runs'],
    ],
  ])('finds %s', (_, dump, problems) => {
    expect(checkBooks(dump)).toEqual(problems);
  });

  it('finds an active job without a lock, once sweeps have looked', () => {
    const { 'a:lock': _, ...dump } = GOOD;
    expect(checkBooks(dump)).toEqual(['a is active without a lock']);
    expect(checkBooks(dump, { beforeSweeps: true })).toEqual([]);
  });

  it('finds what waits and nobody is told of', () => {
    expect(checkBooks({ wait: ['w'], w: job })).toEqual([
      'jobs wait, nobody works, and no marker tells of them',
    ]);
    expect(checkBooks({ wait: ['w'], w: job, marker: [['0', 0]] })).toEqual([]);
  });

  it('finds what is gone, what was never accepted, and what is not at its end', () => {
    expect(checkBooks(GOOD, { accepted: [...ids.slice(1), 'x', 'y'], removed: ['y'] })).toEqual([
      'x was accepted and is gone',
      'w is stored and was never accepted',
    ]);
    expect(checkBooks(GOOD, { atRest: true })).toEqual([
      'w is still in wait',
      'a is still in active',
      'p is still in waiting-children',
    ]);
  });
});
