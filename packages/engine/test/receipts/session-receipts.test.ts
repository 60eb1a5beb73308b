import type { RedisArgument, Store } from '@echomq/core';
import { WorkReport } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { QueueNames } from '../../src/queue-names.js';
import { SessionReceipts } from '../../src/receipts/session-receipts.js';
import { sessionOf } from '../work-link.js';

const queue = new QueueNames('bull', false, 'auto').resolve('q');
const reportOf = (reportId: number, more: Partial<WorkReport> = {}) =>
  WorkReport.fromPartial({ reportId, ...more });

/** Receipts of a session, and a store that keeps what it is asked. */
function session({ worker = sessionOf('s'), principal = '' } = {}) {
  const asked: RedisArgument[][] = [];
  const answers: unknown[] = [];
  const command = async (name: string, args: readonly RedisArgument[]) => {
    asked.push([name, ...args]);
    return answers.shift() ?? 0;
  };
  const receipts = new SessionReceipts(worker, principal);
  return { receipts, store: { command } as unknown as Store, asked, answers };
}

describe('the receipts of a session', () => {
  test('stand under a digest of caller, worker and session', () => {
    const keyOf = (given: Parameters<typeof session>[0]) =>
      session(given).receipts.of(queue, reportOf(1), { through: 0, lockMs: 1_000 }).key;
    const own = keyOf({});
    expect(own).toMatch(/^bull:q:meta:rcpt:[\w-]{22}$/);
    expect(keyOf({})).toBe(own);
    const others = [keyOf({ principal: 'alice' }), keyOf({ worker: sessionOf('t') })];
    // Without an id of its own nobody can come back to a session.
    others.push(keyOf({ worker: sessionOf('') }), keyOf({ worker: sessionOf('') }));
    expect(new Set([own, ...others]).size).toBe(5);
  });

  test('tell bodies apart, not numbers and acknowledgements', () => {
    const { receipts } = session();
    const digestOf = (report: WorkReport) =>
      receipts.of(queue, report, { through: 0, lockMs: 1_000 }).digest;
    const digest = digestOf(reportOf(1));
    expect(digestOf(reportOf(2, { ackedThrough: 1 }))).toBe(digest);
    expect(digestOf(reportOf(1, { logs: ['x'] }))).not.toBe(digest);
  });

  test('stay for twice the lock, two minutes at least', () => {
    const { receipts } = session();
    expect(receipts.of(queue, reportOf(1), { through: 0, lockMs: 1_000 }).ttl).toBe(120_000);
    expect(receipts.of(queue, reportOf(2), { through: 0, lockMs: 90_000 }).ttl).toBe(180_000);
  });

  test('name those that are acknowledged, each once', () => {
    const { receipts } = session();
    for (const id of [1, 2, 3]) receipts.of(queue, reportOf(id), { through: 0, lockMs: 1_000 });
    const receipt = receipts.of(queue, reportOf(4), { through: 2, lockMs: 1_000 });
    expect(receipt.acked).toEqual(['1', '2']);
    // Once; and again where that one was not written.
    expect(receipts.of(queue, reportOf(5), { through: 2, lockMs: 1_000 })).not.toHaveProperty(
      'acked',
    );
    receipts.answered(queue, reportOf(4), receipt, 'refused');
    expect(receipts.of(queue, reportOf(6), { through: 5, lockMs: 1_000 }).acked).toEqual([
      '3',
      '4',
      '5',
      '1',
      '2',
    ]);
    expect(receipts.size).toBe(1);
  });

  test('are tidied without a report, and kept in mind where the store is away', async () => {
    const { receipts, store, asked } = session();
    const { key } = receipts.of(queue, reportOf(1), { through: 0, lockMs: 1_000 });
    receipts.of(queue, reportOf(2), { through: 0, lockMs: 1_000 });
    const away = { command: () => Promise.reject(new Error('away')) } as unknown as Store;
    await receipts.tidy(away, 1);
    await receipts.tidy(store, 1);
    await receipts.tidy(store, 1);
    expect(asked).toEqual([['HDEL', key, '1']]);
  });

  test('of another server are learned', async () => {
    const { receipts, store, asked, answers } = session();
    answers.push(['10', '9', 'body'].map((field) => Buffer.from(field)));
    await receipts.learn(store, queue);
    expect(asked).toEqual([
      ['HKEYS', receipts.of(queue, reportOf(11), { through: 0, lockMs: 1_000 }).key],
    ]);
    expect(receipts.of(queue, reportOf(12), { through: 9, lockMs: 1_000 }).acked).toEqual(['9']);
    const away = { command: () => Promise.reject(new Error('away')) } as unknown as Store;
    await receipts.learn(away, queue);
  });

  test('are bounded for a worker that never acknowledges, and so is what one script deletes', () => {
    const { receipts } = session();
    for (let id = 1; id <= 10_003; id++)
      receipts.of(queue, reportOf(id), { through: 0, lockMs: 1_000 });
    expect(receipts.of(queue, reportOf(10_004), { through: 0, lockMs: 1_000 }).acked).toEqual([
      '3',
    ]);
    expect(
      receipts.of(queue, reportOf(10_005), { through: 5_000, lockMs: 1_000 }).acked,
    ).toHaveLength(1_000);
  });

  test('are looked for unless it is known that no attempt came before', () => {
    const { receipts } = session();
    const terms = { through: 0, lockMs: 1_000, fresh: true };
    const receipt = receipts.of(queue, reportOf(1), terms);
    expect(receipt.fresh).toBe(true);
    receipts.answered(queue, reportOf(1), receipt, 'unknown');
    expect(receipts.of(queue, reportOf(1), terms)).not.toHaveProperty('fresh');
    receipts.answered(queue, reportOf(1), receipt, 'stored');
    expect(receipts.of(queue, reportOf(2), { ...terms, fresh: false })).not.toHaveProperty('fresh');
  });
});

describe('the receipts of a worker in this process', () => {
  const near = () => new SessionReceipts(sessionOf('s'), '', () => 'near', true);
  const terms = { through: 0, lockMs: 1_000 };

  test('stand in slots, as many as reports are under way at once', () => {
    const receipts = near();
    const [one, two] = [1, 2].map((id) => receipts.of(queue, reportOf(id), terms));
    expect([one?.field, two?.field]).toEqual(['0', '1']);
    expect(one?.digest).not.toBe(two?.digest);
    receipts.answered(queue, reportOf(1), one as never, 'stored');
    const three = receipts.of(queue, reportOf(3), terms);
    expect(three).toMatchObject({ field: '0', slot: true, fresh: true });
    expect(three.digest).not.toBe(one?.digest);
    expect(receipts.size).toBe(2);
  });

  test('keep the slot of a report whose answer was lost, and look there when it comes again', () => {
    const receipts = near();
    const lost = receipts.of(queue, reportOf(1), terms);
    receipts.answered(queue, reportOf(1), lost, 'unknown');
    expect(receipts.of(queue, reportOf(2), terms).field).toBe('1');
    const again = receipts.of(queue, reportOf(1), terms);
    expect(again).toMatchObject({ field: '0', digest: lost.digest, slot: true });
    expect(again).not.toHaveProperty('fresh');
    receipts.answered(queue, reportOf(1), again, 'refused');
    expect(receipts.of(queue, reportOf(4), terms)).toMatchObject({ field: '0', fresh: true });
  });

  test('say how long the hash stays at every half of it, and after a doubt', () => {
    const receipts = near();
    const [first, second] = [1, 2].map((id) => receipts.of(queue, reportOf(id), terms));
    expect([first, second]).toMatchObject([{ ttl: 180_000 }, { ttl: 180_000, said: true }]);
    expect(first).not.toHaveProperty('said');
    receipts.answered(queue, reportOf(1), first as never, 'unknown');
    expect(receipts.of(queue, reportOf(3), terms)).not.toHaveProperty('said');
  });
});
