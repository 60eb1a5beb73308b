import type { Store } from '@echomq/core';
import { fakeClock } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import type { NamedQueue } from '../../src/queue-names.js';
import { BufferDesk, type Member } from '../../src/sessions/buffer-desk.js';

const QUEUE = { name: 'q', keys: { base: 'bull:q', meta: 'bull:q:meta' } } as NamedQueue;

/** A desk over a store that answers as it is told, and counts how often it was asked. */
function deskOver(limits: { value: (string | null)[] | Error }) {
  const clock = fakeClock(0);
  const asked: unknown[] = [];
  const command = async (...args: unknown[]) => {
    asked.push(args);
    if (limits.value instanceof Error) throw limits.value;
    return limits.value;
  };
  const desk = new BufferDesk({ store: { command } as unknown as Store, clock });
  const look = async (member: Member) => {
    desk.mayWait(QUEUE, member);
    await new Promise<void>((resolve) => setImmediate(resolve));
    return desk.mayWait(QUEUE, member);
  };
  return { desk, clock, asked, look };
}

function memberOf(slots: number, waiting?: number) {
  const recalls: number[] = [];
  const recall = (count: number) => {
    recalls.push(count);
    return Math.min(count, waiting ?? 0);
  };
  return { slots: () => slots, recalls, ...(waiting === undefined ? {} : { recall }) };
}

test('all that waits is asked for where a queue is held', () => {
  const { desk } = deskOver({ value: [null, null] });
  const [first, second, other, poll] = [
    memberOf(0, 3),
    memberOf(2, 0),
    memberOf(0, 1),
    memberOf(0),
  ];
  for (const member of [first, second, poll]) desk.enter('bull:q', member);
  desk.enter('bull:other', other);
  desk.recallAll('bull:q');
  desk.recallAll('bull:unknown');
  const all = Number.MAX_SAFE_INTEGER;
  expect([first, second, other].map(({ recalls }) => recalls)).toEqual([[all], [all], []]);
});

describe('jobs may wait at a worker', () => {
  test('where the queue does not limit how many run; asked once a second', async () => {
    const limits = { value: [null, null] as (string | null)[] };
    const { desk, clock, asked, look } = deskOver(limits);
    const member = memberOf(0, 0);
    expect(desk.mayWait(QUEUE, member)).toBe(false);
    expect(asked).toEqual([]);
    desk.enter('bull:q', member);
    expect(await look(member)).toBe(true);
    for (let i = 0; i < 100; i++) desk.mayWait(QUEUE, member);
    expect(asked).toEqual([['HMGET', ['bull:q:meta', 'concurrency', 'max']]]);
    limits.value = ['3', null];
    clock.advance(1_000);
    expect(await look(member)).toBe(false);
    limits.value = [null, '10'];
    clock.advance(1_000);
    expect(await look(member)).toBe(false);
    limits.value = [null, null];
    clock.advance(1_000);
    expect(await look(member)).toBe(true);
    expect(asked).toHaveLength(4);
  });

  test('not while the store cannot say', async () => {
    const limits: { value: (string | null)[] | Error } = { value: new Error('away') };
    const { desk, clock, look } = deskOver(limits);
    const member = memberOf(0, 0);
    desk.enter('bull:q', member);
    expect(await look(member)).toBe(false);
    limits.value = [null, null];
    expect(await look(member)).toBe(true);
    clock.advance(5_000);
    expect(desk.mayWait(QUEUE, member)).toBe(false);
  });

  test('not while another has a slot, be it a stream or a poll; its own do not count', async () => {
    const { desk, look } = deskOver({ value: [null, null] });
    const [member, full, free] = [memberOf(1, 0), memberOf(0, 0), memberOf(1)];
    desk.enter('bull:q', member);
    desk.enter('bull:q', full);
    expect(await look(member)).toBe(true);
    desk.enter('bull:q', free);
    expect(await look(member)).toBe(false);
    desk.leave('bull:q', free);
    expect(await look(member)).toBe(true);
  });
});

describe('who has slots and finds nothing', () => {
  test('gets as many jobs recalled as it has slots, from whoever holds some', () => {
    const { desk } = deskOver({ value: [null, null] });
    const [starved, one, five, poll] = [
      memberOf(3, 9),
      memberOf(0, 1),
      memberOf(0, 5),
      memberOf(2),
    ];
    for (const member of [starved, one, five, poll]) desk.enter('bull:q', member);
    desk.starved('bull:q', starved);
    expect([starved.recalls, one.recalls, five.recalls]).toEqual([[], [3], [2]]);
    desk.starved('bull:q', poll);
    expect(starved.recalls).toEqual([2]);
    desk.starved('bull:other', poll);
    desk.leave('bull:q', one);
    desk.starved('bull:q', starved);
    expect([one.recalls, five.recalls]).toEqual([[3], [2, 3]]);
  });
});
