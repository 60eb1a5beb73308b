import { describe, expect, it } from 'vitest';
import { activeJob } from '../../test/lease-rejections.js';
import { refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { extendLock } from './extendLock.js';

const used = useStore();
const extend = (queue: TestQueue, id = '1', token = 't1') =>
  extendLock(used.store, queue.keys, { id, token, lockDuration: 60_000 });

describe('extendLock', () => {
  it('moves nothing: it renews the lock and takes the job out of the stalled set', async () => {
    const queue = used.queue();
    const state = activeJob({}, { stalled: ['1', '2'], locks: { 1: { token: 't1', ttlMs: 100 } } });
    await queue.seed(state);
    const { stalled: _, ...before } = await queue.read();

    await extend(queue);

    expect(await queue.read()).toEqual({ ...before, stalled: ['2'] });
    expect((await queue.readTtls())['1:lock']).toBeGreaterThan(50_000);
  });

  describe('rejects, and writes nothing', () => {
    it.each([
      ['LOCK_LOST', 'no lock', { locks: {} }, 't1'],
      ['LOCK_NOT_OWNED', 'another token', {}, 't2'],
      ['LOCK_NOT_OWNED', 'the empty token', {}, ''],
      ['LOCK_NOT_OWNED', 'the token 0', {}, '0'],
      ['LOCK_NOT_OWNED', 'the empty token of a lock', { locks: { 1: '' } }, ''],
      ['LOCK_NOT_OWNED', 'the token 0 of a lock', { locks: { 1: '0' } }, '0'],
    ])('%s: %s', async (reason, _, more, token) => {
      const queue = used.queue();
      await queue.seed(activeJob({}, more));
      expect(await refusal(queue, () => extend(queue, '1', token))).toBe(reason);
      expect((await queue.readTtls())['1:lock'] ?? 0).toBeLessThanOrEqual(30_000);
    });
  });

  it('wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await extend(queue);
    const dump = await queue.read();
    for (const key of ['marker', 'events']) expect(dump).not.toHaveProperty(key);
  });
});
