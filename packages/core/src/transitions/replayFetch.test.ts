import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import type { FetchReceipt } from '../receipts.js';
import { moveJobFromActiveToWait } from './moveJobFromActiveToWait.js';
import { moveToActive } from './moveToActive.js';
import { replayFetch } from './replayFetch.js';

const used = useStore();
const KEY = 'meta:req:r';
const BODY = { field: 'fetch', digest: 'd', ttl: 120_000 };

const receipt = (queue: TestQueue, more: Partial<FetchReceipt> = {}): FetchReceipt => ({
  ...{ key: queue.keys.requestReceipts('r'), ...BODY, call: 'c1', index: 0 },
  ...more,
});
const fetch = (queue: TestQueue, token: string, index: number) => {
  const worker = { token, lockDuration: 30_000, receipt: receipt(queue, { index }) };
  return moveToActive(used.store, queue.keys, worker, NOW);
};
const replay = (queue: TestQueue, more: Partial<FetchReceipt> = {}) => {
  const { call: _call, index: _index, ...asked } = receipt(queue, more);
  return replayFetch(used.store, queue.keys, { receipt: asked, lockDuration: 60_000 });
};

/** Jobs 1 to 3, of which one call has taken 1 and 2. */
async function taken(): Promise<TestQueue> {
  const queue = used.queue();
  await queue.seed({ meta: META, wait: ['3', '2', '1'], jobs: { 1: { ats: 4 }, 2: {}, 3: {} } });
  await fetch(queue, 't1', 0);
  await fetch(queue, 't2', 3);
  await queue.seed({ stalled: ['1', '2', 'x'] });
  return queue;
}

describe('replayFetch', () => {
  describe('moves nothing', () => {
    it('gives the jobs that are still held, in their order, locks renewed', async () => {
      const queue = await taken();
      const before = await queue.read();

      const replayed = await replay(queue);

      expect(replayed).toEqual({
        replays: 1,
        jobs: [
          { job: expect.objectContaining({ id: '1', attemptsStarted: 5 }), token: 't1' },
          { job: expect.objectContaining({ id: '2', attemptsStarted: 1 }), token: 't2' },
        ],
      });
      expect(await queue.read()).toEqual({
        ...before,
        stalled: ['x'],
        [KEY]: { ...(before[KEY] as object), fetch: '[1,"d",1,"c1"]' },
      });
      const ttls = await queue.readTtls();
      expect(ttls['1:lock']).toBeGreaterThan(50_000);
      expect(ttls['2:lock']).toBeGreaterThan(50_000);
      expect(ttls[KEY]).toBeGreaterThan(110_000);
      expect(await replay(queue)).toMatchObject({ replays: 2 });
    });

    it('gives a job as its fetch gave it', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, wait: ['1'], jobs: { 1: { priority: 2, stc: 1, opts: {} } } });
      const worker = { token: 't1', name: 'w', lockDuration: 30_000, receipt: receipt(queue) };
      const fetched = await moveToActive(used.store, queue.keys, worker, NOW);
      const [first] = (await replay(queue))?.jobs ?? [];
      expect({ kind: 'job', job: first?.job }).toEqual(fetched);
    });

    it('leaves out what was given back, finished, or is held by another', async () => {
      const queue = await taken();
      await moveJobFromActiveToWait(used.store, queue.keys, { jobId: '1', token: 't1' });
      await queue.seed({ locks: { 2: 'another' } });
      const before = await queue.read();
      expect(await replay(queue)).toEqual({ replays: 0, jobs: [] });
      expect(await queue.read()).toEqual(before);
    });

    it('leaves out a lock without a job', async () => {
      const queue = await taken();
      await used.redis.client.del(queue.keys.job('1'));
      expect((await replay(queue))?.jobs.map(({ token }) => token)).toEqual(['t2']);
    });

    it('knows nothing of a fetch that has taken none, also if jobs wait', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, wait: ['1'], jobs: { 1: {} } });
      const before = await queue.read();
      expect(await replay(queue)).toBeUndefined();
      expect(await queue.read()).toEqual(before);
    });
  });

  it('rejects REQUEST_ID_REUSED for another body, and writes nothing', async () => {
    const queue = await taken();
    const other = () => replay(queue, { digest: 'other' });
    expect(await refusal(queue, other)).toBe('REQUEST_ID_REUSED');
  });

  it('keeps the jobs from who would give them back without knowing', async () => {
    const queue = await taken();
    await replay(queue);
    const { key, field } = receipt(queue);
    const lease = { jobId: '1', token: 't1' };
    const release = (replays: number) =>
      moveJobFromActiveToWait(used.store, queue.keys, {
        ...lease,
        unlessReplayed: { key, field, replays },
      });
    expect(await refusal(queue, () => release(0))).toBe('LOCK_NOT_OWNED');
    expect(await release(1)).toBe(0);
    expect((await queue.read())['1']).toEqual(jobHash({ ats: 5, processedOn: NOW }));
  });

  it('wakes nobody and announces nothing', async () => {
    const queue = await taken();
    await queue.seed({ events: [] });
    const before = await queue.read();
    await replay(queue);
    const after = await queue.read();
    for (const key of ['marker', 'events']) expect(after[key]).toEqual(before[key]);
  });
});
