import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { extendLocks } from './extendLocks.js';

const used = useStore();
const lease = (id: string, token: string, lockDuration = 60_000) => ({ id, token, lockDuration });

describe('extendLocks', () => {
  it('answers each lease for itself, in order, and moves nothing', async () => {
    const queue = used.queue();
    const ids = ['a', 'b', 'lost', 'taken', 'empty', 'zero'];
    await queue.seed({
      active: ids,
      stalled: [...ids, 'gone'],
      jobs: Object.fromEntries(ids.map((id) => [id, {}])),
      locks: { a: 'ta', b: 'tb', taken: 'other', empty: '', zero: '0' },
    });
    const { stalled: _, ...before } = await queue.read();

    const answers = await extendLocks(used.store, queue.keys, [
      lease('a', 'ta'),
      lease('gone', 't'),
      lease('lost', 't'),
      lease('taken', 't'),
      lease('empty', ''),
      lease('zero', '0'),
      lease('b', 'tb', 90_000),
    ]);

    expect(answers).toEqual([
      'EXTENDED',
      'JOB_NOT_FOUND',
      'LOCK_LOST',
      'LOCK_NOT_OWNED',
      'LOCK_NOT_OWNED',
      'LOCK_NOT_OWNED',
      'EXTENDED',
    ]);
    expect(await queue.read()).toEqual({
      ...before,
      stalled: ['empty', 'gone', 'lost', 'taken', 'zero'],
    });
    const ttls = await queue.readTtls();
    expect(ttls['a:lock']).toBeGreaterThan(50_000);
    expect(ttls['b:lock']).toBeGreaterThan(80_000);
    for (const id of ['taken', 'empty', 'zero'])
      expect(ttls[`${id}:lock`]).toBeLessThanOrEqual(30_000);
  });

  it('writes nothing when it extends nothing', async () => {
    const queue = used.queue();
    await queue.seed({ active: ['a'], stalled: ['a'], jobs: { a: {} }, locks: { a: 'other' } });
    const before = await queue.read();
    expect(await extendLocks(used.store, queue.keys, [lease('a', 't')])).toEqual([
      'LOCK_NOT_OWNED',
    ]);
    expect(await queue.read()).toEqual(before);
  });

  it('extends 1,000 at once, and asks nothing of Redis for none', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 1_000 }, (_, at) => `j${at}`);
    await queue.seed({
      stalled: ids,
      locks: Object.fromEntries(ids.map((id) => [id, `t-${id}`])),
    });
    const leases = ids.map((id) => lease(id, `t-${id}`));
    const answers = await extendLocks(used.store, queue.keys, leases);
    expect(new Set(answers)).toEqual(new Set(['EXTENDED']));
    expect(await queue.read()).not.toHaveProperty('stalled');
    expect(await extendLocks(used.store, queue.keys, [])).toEqual([]);
  });

  it('wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await queue.seed({ active: ['a'], jobs: { a: {} }, locks: { a: 'ta' } });
    await extendLocks(used.store, queue.keys, [lease('a', 'ta')]);
    const dump = await queue.read();
    for (const key of ['marker', 'events']) expect(dump).not.toHaveProperty(key);
  });
});
