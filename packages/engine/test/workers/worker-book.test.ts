import type { RedisClient, Store } from '@echomq/core';
import { fakeClock } from '@echomq/testkit';
import { beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../src/ports.js';
import { QueueNames } from '../../src/queue-names.js';
import { WorkerBook } from '../../src/workers/worker-book.js';
import type { WorkerNote } from '../../src/workers/worker-note.js';
import { sessionOf } from '../work-link.js';

const names = new QueueNames('bull', false, 'auto');
const queue = names.resolve('q');
let clock = fakeClock(1_000);
let book: WorkerBook;
/** Sessions of each script that was sent. */
let scripts: string[][] = [];
let commands: string[] = [];

beforeEach(() => {
  clock = fakeClock(1_000);
  [scripts, commands] = [[], []];
  const store = {
    redis: {} as RedisClient,
    run: async (_script: unknown, _keys: unknown, args: { sessions: { session: string }[] }) => {
      scripts.push(args.sessions.map(({ session }) => session));
      return 0;
    },
    command: async (command: string, args: readonly unknown[]) => {
      commands.push(`${command} ${args.join(' ')}`);
      return 0;
    },
  } as unknown as Store;
  book = new WorkerBook({ store, clock, logger: silentLogger });
});

const note = (more: Partial<WorkerNote> = {}): WorkerNote => ({
  worker: sessionOf('s'),
  heardMsAgo: 0,
  queues: [{ queue, held: [] }],
  ...more,
});
/** Time that passes as it does: no timer is late. */
const pass = (ms: number) => {
  for (let left = ms; left > 0; left -= 50) clock.advance(Math.min(left, 50));
};

test('sessions that come together are noted with one script, then every 10 s', () => {
  const sessions = ['a', 'b', 'c'].map((id) => [id, { note: () => note() }] as const);
  for (const [id, session] of sessions) book.enter(id, session);
  pass(50);
  expect(scripts).toEqual([['a', 'b', 'c']]);
  pass(9_000);
  expect(scripts).toHaveLength(1);
  pass(2_000);
  expect(scripts).toHaveLength(2);
  pass(100_000);
  expect(scripts).toHaveLength(12);
});

test('one that counts as gone is noted no more, nor one that was dropped; no timer is left', () => {
  let there = true;
  const [a, b] = [{ note: () => (there ? note() : undefined) }, { note: () => note() }];
  book.enter('a', a);
  book.enter('b', b);
  pass(50);
  there = false;
  pass(11_000);
  expect(scripts).toEqual([['a', 'b'], ['b']]);
  // A stream that was superseded does not end what its successor tells.
  book.drop('b', a);
  pass(11_000);
  expect(scripts).toHaveLength(3);
  book.drop('b', b);
  book.drop('a', a);
  pass(11_000);
  expect(scripts).toHaveLength(3);
  expect(clock.due).toEqual([]);
});

test('one that leaves is taken out where it was noted', async () => {
  const session = { note: () => note() };
  book.enter('a', session);
  await book.leave('a', { note: () => undefined });
  expect(commands).toEqual([]);
  pass(50);
  await book.leave('a', session);
  expect(commands).toEqual(['DEL bull:q:meta:workers:a', 'ZREM bull:q:meta:workers:index a']);
  pass(20_000);
  expect(scripts).toHaveLength(1);
});

test('calls are noted at most every 10 s, and while they wait', () => {
  const call = () => book.noteCall('a', { worker: sessionOf('s'), queue, held: ['1'] });
  for (let calls = 0; calls < 100; calls++) {
    call()();
    pass(50);
  }
  expect(scripts).toEqual([['a']]);
  pass(6_000);
  const end = call();
  pass(25_000);
  expect(scripts).toHaveLength(4);
  end();
  pass(60_000);
  expect(scripts).toHaveLength(4);
  expect(clock.due).toEqual([]);
});
