import { type LeaseRenewal, type RenewalOutcome, StoreUnavailable } from '@echomq/core';
import { collect, fakeClock } from '@echomq/testkit';
import { beforeEach, expect, test } from 'vitest';
import type { QueueLane } from '../../src/dispatch/queue-lane.js';
import { LeaseKeeper, type LeaseOwner } from '../../src/leases/lease-keeper.js';
import { type EngineObserver, silentLogger } from '../../src/ports.js';

let clock = fakeClock(1_000);
let noted: [renewed: number, lost: number][] = [];
const observer = {
  locksRenewed: (_queue: string, ...counts: [number, number]) => void noted.push(counts),
} as unknown as EngineObserver;
let keeper = new LeaseKeeper({ clock, logger: silentLogger, observer });
let sent: string[][] = [];
let answer: (lease: LeaseRenewal) => RenewalOutcome | Error = () => 'EXTENDED';

beforeEach(() => {
  clock = fakeClock(1_000);
  keeper = new LeaseKeeper({ clock, logger: silentLogger, observer });
  noted = [];
  sent = [];
  answer = () => 'EXTENDED';
});

const lane = {
  queue: { name: 'q', keys: { base: 'bull:q:' } },
  renew: async (leases: readonly LeaseRenewal[]) => {
    sent.push(leases.map(({ token }) => token));
    return leases.map((lease) => {
      const outcome = answer(lease);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  },
} as unknown as QueueLane;

const owner = (vouches: () => boolean = () => true) => {
  const lost = collect<string>('losses');
  const cancelled = collect<string>('cancels');
  const self: LeaseOwner = {
    vouches,
    cancelRequested: (token) => cancelled.push(token),
    lost: (token, outcome) => lost.push(`${token} ${outcome}`),
  };
  return { self, lost, cancelled };
};

const keep = (token: string, self: LeaseOwner, lockMs = 30_000) =>
  keeper.add(lane, { jobId: token, token, lockMs, renewedAt: clock.now(), owner: self });

/** Moves the clock and lets what it started answer. */
const pass = async (ms: number) => {
  clock.advance(ms);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
};

test('all leases of a queue go out as one script at a third of their lock', async () => {
  const { self } = owner();
  for (const token of ['a', 'b', 'c']) keep(token, self);
  await pass(9_999);
  expect(sent).toEqual([]);
  await pass(1);
  expect(sent).toEqual([['a', 'b', 'c']]);
  await pass(10_000);
  expect(sent).toHaveLength(2);
  expect(clock.due).toHaveLength(1);
});

test('one that was set just before the tick is renewed with the next, still in time', async () => {
  const { self } = owner();
  keep('early', self);
  await pass(9_000);
  keep('late', self);
  await pass(1_000);
  expect(sent).toEqual([['early']]);
  await pass(10_000);
  expect(sent[1]).toEqual(['early', 'late']);
  expect(keeper.validUntil(lane, 'late')).toBe(clock.now() + 30_000);
});

test('a shorter lock brings the tick forward', async () => {
  const { self } = owner();
  keep('long', self);
  keep('short', self, 3_000);
  await pass(1_000);
  expect(sent).toEqual([['short']]);
});

test('without evidence there is no renewal, and the lease is over with its lock', async () => {
  let evidence = true;
  const { self, lost } = owner(() => evidence);
  keep('a', self);
  await pass(10_000);
  expect(sent).toHaveLength(1);
  evidence = false;
  await pass(20_000);
  expect(sent).toHaveLength(1);
  expect(lost.items).toEqual([]);
  await pass(10_000);
  expect(lost.items).toEqual(['a LOCK_LOST']);
  expect(keeper.size).toBe(0);
});

test('a lost one is told, and harms no other', async () => {
  const { self, lost } = owner();
  keep('a', self);
  keep('b', self);
  answer = ({ token }) => (token === 'a' ? 'JOB_NOT_FOUND' : 'EXTENDED');
  await pass(10_000);
  expect(lost.items).toEqual(['a JOB_NOT_FOUND']);
  expect(keeper.size).toBe(1);
});

test('while the store is away it is asked again soon, till the locks are over', async () => {
  const { self, lost } = owner();
  keep('a', self);
  answer = () => new StoreUnavailable('away', false);
  await pass(10_000);
  for (let at = 0; at < 10; at++) await pass(500);
  expect(sent.length).toBe(11);
  for (let at = 0; at < 40; at++) await pass(500);
  expect(lost.items).toEqual(['a LOCK_LOST']);
});

test('a process that slept through the locks renews none of them', async () => {
  const { self, lost } = owner();
  keep('a', self);
  clock.advance(0);
  const late = fakeClock(1_000 + 60_000);
  Object.assign(clock, { now: late.now });
  await pass(10_000);
  expect(sent).toEqual([]);
  expect(lost.items).toEqual(['a LOCK_LOST']);
});

test('another owner takes over; the former one can no longer let it go', async () => {
  const [first, second] = [owner(), owner()];
  keep('a', first.self);
  keep('a', second.self);
  keeper.remove(lane, 'a', first.self);
  expect(keeper.size).toBe(1);
  keeper.remove(lane, 'a', second.self);
  expect(keeper.size).toBe(0);
  await pass(10_000);
  // Nothing is kept: no timer is left.
  expect(clock.due).toEqual([]);
});

test('a script holds the store for a moment only: many leases go out in several', async () => {
  const { self } = owner();
  for (let at = 0; at < 750; at++) keep(`t${at}`, self);
  await pass(10_000);
  expect(sent.map(({ length }) => length)).toEqual([300, 300, 150]);
  expect(clock.due).toHaveLength(1);
  keeper.close();
  expect(clock.due).toEqual([]);
});

test('a request to cancel is told with each renewal, and the lease goes on', async () => {
  const { self, lost, cancelled } = owner();
  answer = ({ token }) => (token === 'a' ? 'CANCEL_REQUESTED' : 'EXTENDED');
  for (const token of ['a', 'b']) keep(token, self);
  await pass(10_000);
  await pass(10_000);
  expect(cancelled.items).toEqual(['a', 'a']);
  expect(lost.items).toEqual([]);
  expect(keeper.size).toBe(2);
});

test('a look renews the leases of one job now, if somebody vouches for them', async () => {
  const { self, lost } = owner();
  const silent = owner(() => false);
  for (const token of ['a', 'b']) keep(token, self);
  keep('c', silent.self);
  keeper.look('bull:q:', 'a');
  keeper.look('bull:q:', 'c');
  keeper.look('bull:other:', 'b');
  keeper.look('bull:q:', 'nobody');
  await pass(0);
  expect(sent).toEqual([['a']]);
  answer = () => 'LOCK_LOST';
  keeper.lookAll();
  await pass(0);
  expect(sent).toEqual([['a'], ['a', 'b']]);
  expect(lost.items).toEqual(['a LOCK_LOST', 'b LOCK_LOST']);
});

test('the store is told of runs that have begun, once for all of a few ms, and of none that ends at once', async () => {
  const { self } = owner();
  const run = { reporting: true };
  const ending = { lockMs: 30_000, renewedAt: clock.now(), run, owner: self };
  for (const token of ['a', 'over', 'b', 'quiet']) keep(token, self);
  for (const token of ['ends', 'is refused']) keeper.add(lane, { ...ending, jobId: token, token });
  for (const token of ['a', 'over', 'ends', 'is refused']) keeper.begun(lane, token);
  await pass(4);
  keeper.begun(lane, 'b');
  keeper.remove(lane, 'over', self);
  expect(sent).toEqual([]);
  await pass(1);
  expect(sent).toEqual([['a', 'b']]);
  await pass(100);
  expect(sent).toHaveLength(1);
  // What could not be stored as ended goes on, and the next tick tells of it.
  keeper.remove(lane, 'ends', self);
  run.reporting = false;
  clock.advance(9_895);
  expect(sent[1]).toContain('is refused');
});

test('those who count hear of leases that are lost, and of none whose end was faster than a renewal', async () => {
  const { self } = owner();
  const run = { reporting: false };
  const kept = { lockMs: 30_000, renewedAt: clock.now(), run, owner: self };
  for (const token of ['lives', 'stolen']) keep(token, self);
  for (const token of ['ended', 'ending']) keeper.add(lane, { ...kept, jobId: token, token });
  answer = ({ token }) => {
    // Its end is stored while the renewal is under way: the lock has gone with it.
    if (token === 'ended') keeper.remove(lane, 'ended', self);
    if (token === 'ending') run.reporting = true;
    return token === 'lives' ? 'EXTENDED' : 'LOCK_LOST';
  };
  await pass(10_000);
  expect(noted).toEqual([[1, 1]]);
  answer = () => new StoreUnavailable('away', false);
  await pass(30_000);
  expect(noted).toEqual([
    [1, 1],
    [0, 1],
  ]);
});
