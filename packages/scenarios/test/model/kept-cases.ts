import type { KeptCase } from '../../src/model/kept.js';

/** What ordinary moves, which go a short way, must not pass over. Seldom drawn; each kills a mutant. */
const SHORT_WAY: readonly KeptCase[] = [
  {
    name: 'an ordinary run that is to be cancelled is completed',
    world: { uncounted: true },
    plans: [
      { op: 'add', adds: [{}] },
      { op: 'fetch' },
      { op: 'cancel' },
      { op: 'batch', moves: [{ kind: 'complete' }] },
    ],
  },
  {
    name: 'the end of an ordinary run is reported again',
    world: { uncounted: true },
    plans: [
      { op: 'addMany', adds: [{}, {}] },
      { op: 'fetch' },
      { op: 'complete', receipt: true, reply: 'again' },
      { op: 'fetch' },
      { op: 'complete', receipt: true, reply: 'again', flag: true },
    ],
  },
];

/** A job that was handed out to wait at its worker, and was given back by a sweep. */
const GIVEN_BACK = [
  { op: 'add', adds: [{}] },
  { op: 'fetch', shade: 0 },
  { op: 'expire' },
  { op: 'sweep' },
  { op: 'sweep' },
] as const;

/** A job that was taken, and that a sweep has counted as stalled. */
const STALLED = [
  { op: 'add', adds: [{}] },
  { op: 'fetch' },
  { op: 'expire' },
  { op: 'sweep' },
  { op: 'sweep' },
] as const;

/** What becomes of a run that waited at its worker. Seldom drawn; each kills a mutant. */
const WAITING_RUNS: readonly KeptCase[] = [
  {
    name: 'a job that a sweep has given back as not begun stalls in its next run: that counts, and its mark goes',
    plans: [
      ...GIVEN_BACK,
      { op: 'fetch', dt: 50 },
      { op: 'expire' },
      { op: 'sweep' },
      { op: 'sweep' },
    ],
  },
  {
    name: 'who takes no job for a free slot wakes whoever has one',
    plans: [...GIVEN_BACK, { op: 'wake' }, { op: 'fetch', shade: 0 }],
  },
  {
    name: 'a stall that was counted for a run that nobody had begun is taken back once, and its job is marked',
    plans: [...STALLED, { op: 'giveBack', shade: 2 }, { op: 'giveBack', shade: 2 }],
  },
  {
    name: 'whoever gives an older run back takes no stall of another one back',
    plans: [
      { op: 'add', adds: [{}] },
      { op: 'fetch' },
      { op: 'giveBack' },
      { op: 'fetch', dt: 50 },
      { op: 'expire' },
      { op: 'sweep' },
      { op: 'sweep' },
      { op: 'giveBack', lease: 1, shade: 2 },
    ],
  },
  {
    name: 'a stall of a job that has ended is not taken back',
    plans: [...STALLED, { op: 'fetch', dt: 50 }, { op: 'complete' }, { op: 'giveBack', shade: 2 }],
  },
];

/** What the model found, shrunk, one for each fault. Kept for ever. */
export const KEPT: readonly KeptCase[] = [
  ...SHORT_WAY,
  ...WAITING_RUNS,
  {
    name: 'an item of a batch replaces the parent of a later one, which comes without it',
    plans: [
      { op: 'add', adds: [{ custom: 0, delay: 1, dedup: 10 }] },
      {
        op: 'addMany',
        adds: [
          { custom: 1, dedup: 11 },
          { custom: 1, parent: 1 },
        ],
      },
      { op: 'fetch' },
    ],
  },
  {
    name: 'an add replaces its own parent and comes without it',
    plans: [
      { op: 'add', adds: [{ custom: 0, delay: 30_000, dedup: 11 }] },
      { op: 'add', adds: [{ custom: 1, parent: 1, dedup: 11 }] },
    ],
  },
  {
    name: 'a delayed child is replaced: its parent no longer waits for it',
    plans: [
      { op: 'add', adds: [{ custom: 0 }] },
      { op: 'add', adds: [{ custom: 1, delay: 30_000, parent: 1, dedup: 11 }] },
      { op: 'fetch' },
      { op: 'park' },
      { op: 'add', adds: [{ custom: 2, dedup: 11 }] },
      { op: 'fetch' },
    ],
  },
  {
    name: 'an add is kept, and a job of its id is added before it comes in: there is one',
    plans: [
      { op: 'add', adds: [{ custom: 0, dedup: 12 }] },
      { op: 'fetch' },
      { op: 'add', adds: [{ custom: 1, dedup: 12 }] },
      { op: 'add', adds: [{ custom: 1 }] },
      { op: 'complete' },
    ],
  },
  {
    name: 'an add is kept, and its parent is removed before it comes in: it comes without it',
    plans: [
      { op: 'add', adds: [{ custom: 0, dedup: 12 }] },
      { op: 'fetch' },
      { op: 'add', adds: [{ custom: 2 }] },
      { op: 'add', adds: [{ custom: 1, dedup: 12, parent: 1 }] },
      { op: 'remove', job: 0, shade: 0 },
      { op: 'remove', job: 1, shade: 0 },
      { op: 'complete' },
    ],
  },
  {
    name: 'a job that was added under itself can be removed with its children',
    plans: [
      { op: 'addTree', adds: [{ custom: 0 }] },
      { op: 'addMany', adds: [{ custom: 0, parent: 1 }] },
      { op: 'remove', shade: 0, flag: true },
    ],
  },
  {
    name: 'a job that was added under itself outlives the removal of its children',
    plans: [
      { op: 'addTree', adds: [{ custom: 0 }, { custom: 1 }, { custom: 3 }] },
      { op: 'addMany', adds: [{ custom: 0, parent: 3 }, { custom: 2 }] },
      { op: 'addMany', adds: [{ custom: 3 }, { custom: 3 }, { custom: 3 }] },
      { op: 'removeUnprocessed', job: 6, shade: 0 },
    ],
  },
  {
    name: 'an expired job that is added again under itself has no parent',
    plans: [
      {
        op: 'addBatch',
        shade: 0,
        adds: [
          { custom: 0, parent: 4 },
          { custom: 1, keep: 5 },
        ],
      },
      { op: 'schedule', shade: 0 },
      { op: 'fetch', shade: 0 },
      { op: 'add', shade: 0, adds: [{ custom: 0 }] },
      { op: 'complete', shade: 0 },
      { op: 'changePriority', dt: 20_000, shade: 0 },
      { op: 'addMany', shade: 0, adds: [{ custom: 0 }, { custom: 1, parent: 3 }] },
    ],
  },
  {
    name: 'the last job ends by the fast path: the queue says that it is empty',
    world: { uncounted: true },
    plans: [
      { op: 'addTree', adds: [{ custom: 0 }, { custom: 0 }] },
      { op: 'batch', moves: [{ kind: 'fetch' }] },
      { op: 'batch', moves: [{ kind: 'complete' }] },
      { op: 'renew' },
    ],
  },
  {
    name: 'a run that waits at its worker is renewed before it has begun: it still waits',
    plans: [
      { op: 'schedule', shade: 0 },
      { op: 'batch', shade: 0, moves: [{ kind: 'fetch', buffered: true }, { kind: 'complete' }] },
      { op: 'renew', shade: 9 },
      { op: 'complete', shade: 0 },
    ],
  },
];
