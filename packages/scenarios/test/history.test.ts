import { describe, expect, it } from 'vitest';
import { checkHistory } from '../src/history/check-history.js';
import { type Entry, History } from '../src/history/history.js';

/** A history of `KIND job [run [end]]` lines, one ms apart. */
function history(...lines: string[]): History {
  const made = new History();
  for (const [at, line] of lines.entries()) {
    const [kind, job = '', run = '', end = 'completed'] = line.split(' ');
    made.note(
      { kind, job, ...(run ? { run } : {}), ...(kind === 'ended' ? { end } : {}) } as Entry,
      at,
    );
  }
  return made;
}

describe('checkHistory', () => {
  it('finds nothing in a good one: retries, recoveries and removals are good', () => {
    const good = history(
      'accepted a',
      'accepted b',
      'accepted c',
      'started a 1',
      'over a 1',
      'ended a 1 again',
      'started a 2',
      'started b 3',
      'lost b 3',
      'over b 3',
      'started b 4',
      'ended a 2',
      'ended b 4 failed',
      'removed c',
    );
    expect(checkHistory(good, { order: ['a', 'b', 'c'] })).toEqual([]);
  });

  it.each([
    ['a job that is lost', ['accepted a'], ['a never ended']],
    [
      'a job whose run ends and is told nowhere',
      ['accepted a', 'started a 1', 'over a 1'],
      ['a never ended'],
    ],
    [
      'two ends',
      ['accepted a', 'started a 1', 'ended a 1', 'started a 2', 'ended a 2 failed'],
      ['a ended 2 times: 1, 2', 'a: 2 after 1, which had ended the job'],
    ],
    [
      'a run over another',
      ['accepted a', 'started a 1', 'started a 2', 'over a 1', 'ended a 2'],
      ['a: 2 after 1 while that went on'],
    ],
    [
      'a run over another whose lease is found lost afterwards',
      ['accepted a', 'started a 1', 'started a 2', 'lost a 1', 'ended a 2'],
      ['a: 2 after 1 while that went on'],
    ],
    [
      'a run after one that nobody had lost',
      ['accepted a', 'started a 1', 'over a 1', 'started a 2', 'ended a 2'],
      ['a: 2 after 1, which nobody had lost'],
    ],
    [
      'the same delivery twice',
      ['accepted a', 'started a 1', 'started a 1', 'ended a 1'],
      ['a: run 1 began twice'],
    ],
    ['a job from nowhere', ['started a 1', 'ended a 1'], ['a ran and was never accepted']],
    [
      'the end of no run',
      ['accepted a', 'ended a 1'],
      ['a: ended of run 1, which never began', 'a never ended'],
    ],
  ])('finds %s', (_, lines, problems) => {
    expect(checkHistory(history(...lines))).toEqual(problems);
  });

  it('finds what begins out of order', () => {
    const lines = ['a', 'b', 'c'].map((job) => `accepted ${job}`);
    const runs = ['a', 'c', 'b'].flatMap((job) => [
      `started ${job} ${job}1`,
      `ended ${job} ${job}1`,
    ]);
    expect(checkHistory(history(...lines, ...runs), { order: ['a', 'b', 'c'] })).toEqual([
      'c began where b was due, at place 1',
    ]);
  });

  it('lets a job be open where that is allowed', () => {
    expect(checkHistory(history('accepted a'), { mayBeOpen: (job) => job === 'a' })).toEqual([]);
  });
});
