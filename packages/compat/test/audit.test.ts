import { describe, expect, it } from 'vitest';
import { audit } from '../src/run/audit.js';
import { type Fate, planRun } from '../src/run/plan.js';
import type { QueueBooks } from '../src/run/queue-books.js';
import { RunNotes } from '../src/run/run-notes.js';

const NONE = { wrongRuns: [], wrongEnds: [], wrongPlaces: [], wrongEvents: [], leftovers: [] };

/** A run of three jobs that went as planned: `b` is a parent of `a`, `c` was removed. */
function goodRun() {
  const fates = new Map<string, Fate>([
    ['a', { kind: 'child', runs: 2, end: 'completed' }],
    ['b', { kind: 'parent', runs: 1, end: 'failed', after: ['a'] }],
    ['c', { kind: 'removed', runs: 1, end: 'removed' }],
  ]);
  const notes = new RunNotes();
  const made = [['a', 0] as const, ['a', 1] as const, ['b', 0] as const, ['c', 0] as const];
  for (const [at, [key, attemptsMade]] of made.entries()) {
    notes.runs.push({
      ...{ by: 'x', id: `id-${key}`, key, attemptsMade },
      ...{ began: at * 2, ended: at * 2 + 1 },
    });
  }
  const books: QueueBooks = {
    locations: { completed: ['id-a'], failed: ['id-b'] },
    jobs: new Map([
      ['id-a', { key: 'a', attemptsMade: 2 }],
      ['id-b', { key: 'b', attemptsMade: 1 }],
    ]),
    events: {
      completed: new Map([
        ['id-a', 1],
        ['id-c', 1],
      ]),
      failed: new Map([['id-b', 1]]),
    },
    others: { id: 1, meta: 1, 'ID:processed': 3 },
  };
  return { fates, notes, books };
}

/** The audit of a good run with its books changed. */
function auditWith(change: Partial<QueueBooks>) {
  const { fates, notes, books } = goodRun();
  return audit(fates, notes, { ...books, ...change });
}

describe('the audit of a mixed run', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(auditWith({})).toEqual(NONE);
  });

  it('finds a run too many, a run that is missing, one out of order and one that nobody planned', () => {
    const { fates, notes, books } = goodRun();
    const [first, second, parent, removed] = notes.runs;
    if (!first || !second || !parent || !removed) throw new Error('no runs');
    const wrong = (...runs: typeof notes.runs) => {
      notes.runs.splice(0, notes.runs.length, ...runs);
      return audit(fates, notes, books).wrongRuns;
    };
    expect(wrong(first, second, parent, removed, removed)).toEqual([
      'c made the attempts [0,0], not [0]',
    ]);
    expect(wrong(first, second, parent)).toEqual(['c made the attempts [], not [0]']);
    expect(wrong(second, first, parent, removed)).toEqual(['a made the attempts [1,0], not [0,1]']);
    expect(wrong(first, second, { ...parent, began: 1 }, removed)).toEqual([
      'b began before a had ended',
    ]);
    expect(wrong(first, second, parent, removed, { ...first, key: 'z' })).toEqual([
      'z was not planned and ran 1',
    ]);
  });

  it('finds an attempt that was not counted', () => {
    const jobs = new Map(goodRun().books.jobs).set('id-a', { key: 'a', attemptsMade: 1 });
    expect(auditWith({ jobs }).wrongRuns).toEqual(['a (id-a) counts 1 attempts, not 2']);
  });

  it('finds ids in the wrong place, in two, in none, and without a job', () => {
    expect(auditWith({ locations: { failed: ['id-a', 'id-b'] } })).toMatchObject({
      wrongEnds: ['a ended as failed, not as completed'],
    });
    const { locations } = goodRun().books;
    expect(auditWith({ locations: { ...locations, wait: ['id-b', 'ghost'] } }).wrongPlaces).toEqual(
      ['ghost in wait has no job behind it', 'id-b is in failed and wait'],
    );
    expect(auditWith({ locations: { failed: ['id-b'] } })).toMatchObject({
      wrongEnds: ['a ended as removed, not as completed'],
      wrongPlaces: ['id-a is in no location'],
    });
  });

  it('finds ends that were announced twice or not at all, and keys that are left', () => {
    const { events } = goodRun().books;
    const twice = { ...events, failed: new Map([['id-b', 2]]) };
    expect(auditWith({ events: twice }).wrongEvents).toEqual(['id-b was 2 times failed']);
    const never = { ...events, completed: new Map([['id-a', 1]]) };
    expect(auditWith({ events: never }).wrongEvents).toEqual([
      '0 jobs that are gone were completed, not 1',
    ]);
    expect(auditWith({ others: { 'ID:lock': 1, stalled: 1, meta: 1 } }).leftovers).toEqual([
      'ID:lock',
      'stalled',
    ]);
  });
});

describe('the plan', () => {
  it.each([1, 11, 300, 1_501])('has exactly %i jobs, each with a fate', (jobs) => {
    const { additions, fates } = planRun(jobs);
    const keys = additions.flatMap((addition) =>
      'flow' in addition
        ? [addition.flow.task.key, ...(addition.flow.children ?? []).map(({ task }) => task.key)]
        : [addition.task.key],
    );
    expect(keys.toSorted()).toEqual([...fates.keys()].toSorted());
    expect(keys).toHaveLength(jobs);
  });
});
