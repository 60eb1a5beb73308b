import { describe, expect, it } from 'vitest';
import { checkBooks, type Records } from '../src/books.js';
import type { AddedJob } from '../src/plan.js';
import type { StoredJob } from '../src/stored-queue.js';

const job = (fields: Partial<StoredJob> = {}): StoredJob => ({
  name: 'checksum',
  addedAt: 1_000,
  takenAt: 9_000,
  finishedAt: 9_001,
  attemptsMade: 1,
  stalledCount: 0,
  worker: 'worker-1',
  progress: '',
  result: '{}',
  failedReason: '',
  ...fields,
});

const file = (id: string, more: Partial<AddedJob> = {}): AddedJob => ({
  id,
  kind: 'file',
  name: 'checksum',
  data: {},
  ...more,
});

const killed = { name: 'worker-2', pid: 1, held: ['3'], begun: ['3'] };

/** Books that are right: two prioritized jobs, a delayed one that was recovered, a flaky and a doomed one. */
const right = (): Records => ({
  added: [
    file('1', { kind: 'prioritized', priority: 2 }),
    file('2', { kind: 'prioritized', priority: 1 }),
    file('3', { kind: 'delayed', delayMs: 500 }),
    file('4', { kind: 'flaky' }),
    file('5', { kind: 'doomed' }),
  ],
  ids: new Map([
    ['completed', ['1', '2', '3', '4']],
    ['failed', ['5']],
  ]),
  jobs: new Map([
    ['1', job()],
    ['2', job()],
    ['3', job({ stalledCount: 1 })],
    ['4', job({ attemptsMade: 3 })],
    ['5', job({ failedReason: 'no' })],
  ]),
  hashes: ['1', '2', '3', '4', '5'],
  locks: [],
  languages: new Map(),
  told: { completed: 4, failed: 1 },
  firstTaken: new Map([
    ['2', { order: 0, at: 1_010 }],
    ['1', { order: 1, at: 1_011 }],
    ['3', { order: 2, at: 1_500 }],
  ]),
  addedBefore: new Map([
    ['1', 0],
    ['2', 0],
  ]),
  returned: new Set(['3']),
  killed,
});

/** What the checks say of books with these changes. */
const problems = (changes: Partial<Records>): string[] =>
  checkBooks({ ...right(), ...changes }).flatMap(({ problems }) => [...problems]);

describe('checkBooks', () => {
  it('finds nothing wrong where nothing is', () => {
    expect(problems({})).toEqual([]);
  });

  it('names a job in no location and one in two', () => {
    const ids = new Map([
      ['wait', ['1']],
      ['completed', ['1', '2', '4']],
      ['failed', ['5']],
    ] as const);
    expect(problems({ ids, told: { completed: 3, failed: 1 } })).toEqual([
      'job 3 is in no location',
      'job 1 is in wait and completed',
      'completed + failed, and added: 4 and 5',
      'delayed job 3 is not completed',
    ]);
  });

  it('names an id that was never added, and a hash of such', () => {
    const ids = new Map([...right().ids, ['wait', ['ghost']] as const]);
    expect(problems({ ids, hashes: [...right().hashes, '77'] })).toEqual([
      'id ghost in wait was never added',
      'a hash of job 77, never added',
    ]);
  });

  it('names a lock that nobody holds and a job that is still active', () => {
    const ids = new Map([...right().ids, ['active', ['1']] as const]);
    expect(problems({ ids, locks: ['1', '2'] })).toEqual([
      'job 1 is in active and completed',
      'job 2 has a lock and is not active',
      'job 1 is active, and no worker is left',
    ]);
  });

  it('names a job without a hash', () => {
    const jobs = new Map([...right().jobs].filter(([id]) => id !== '4'));
    expect(problems({ jobs })).toEqual(['job 4 has no hash']);
  });

  it('names sums that the gateway gives otherwise', () => {
    expect(problems({ told: { completed: 5, failed: 1 } })).toEqual([
      'completed in Redis, and as the gateway counts: 4 and 5',
    ]);
  });

  it('names a flaky job with too few attempts and a delayed one that ran early', () => {
    const jobs = new Map([
      ...right().jobs,
      ['4', job({ attemptsMade: 2 })] as const,
      ['3', job({ stalledCount: 1, takenAt: 1_499 })] as const,
    ]);
    expect(problems({ jobs })).toEqual([
      'flaky job 4 made 2 attempts instead of 3',
      'job 3 ran 1 ms before it was due',
    ]);
  });

  it('names a priority that was passed over, but not where the other one came later', () => {
    const firstTaken = new Map([
      ['1', { order: 0, at: 1_010 }],
      ['2', { order: 1, at: 1_011 }],
    ]);
    expect(problems({ firstTaken })).toEqual(['job 1 (2) before 2 (1)']);
    const addedBefore = new Map([
      ['1', 0],
      ['2', 1],
    ]);
    expect(problems({ firstTaken, addedBefore })).toEqual([]);
  });

  it('names a job of the killed worker that the sweep has not brought back', () => {
    const jobs = new Map([...right().jobs, ['3', job()] as const]);
    expect(problems({ jobs })).toEqual([
      'the sweep brought no job of worker-2 back',
      'job 3 ran on worker-2 and was not brought back by the sweep',
    ]);
    expect(problems({ returned: new Set() })).toEqual([
      'job 3 was held by worker-2 and did not go back into the line',
    ]);
    expect(problems({ killed: undefined })).toEqual(['no worker was killed']);
  });

  it('takes a job whose report outran the kill for finished', () => {
    const jobs = new Map([...right().jobs, ['2', job({ worker: 'worker-2' })] as const]);
    expect(problems({ jobs, killed: { ...killed, held: ['2', '3'] } })).toEqual([]);
  });
});
