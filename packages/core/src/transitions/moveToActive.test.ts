import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import type { FetchingWorker } from '../outcomes.js';
import type { FetchReceipt } from '../receipts.js';
import { moveToActive } from './moveToActive.js';

const used = useStore();
const WORKER: FetchingWorker = { token: 't1', lockDuration: 30_000 };
const fetch = (queue: ReturnType<typeof used.queue>, worker: Partial<FetchingWorker> = {}) =>
  moveToActive(used.store, queue.keys, { ...WORKER, ...worker }, NOW);

describe('moveToActive', () => {
  describe('moves', () => {
    it('takes the tail of wait, locks it and hands it out', async () => {
      const queue = used.queue();
      await queue.seed({
        wait: ['2', '1'],
        meta: META,
        jobs: {
          1: { name: 'send', data: '{"a":1}', opts: '{"attempts":2}', timestamp: 5, ats: 1 },
        },
      });

      const fetched = await fetch(queue, { name: 'worker-7' });

      expect(fetched).toEqual({
        kind: 'job',
        job: {
          id: '1',
          name: 'send',
          data: Buffer.from('{"a":1}'),
          opts: Buffer.from('{"attempts":2}'),
          timestamp: 5,
          delay: 0,
          priority: 0,
          attemptsMade: 0,
          attemptsStarted: 2,
          stalledCount: 0,
          processedOn: NOW,
          processedBy: 'worker-7',
        },
      });
      expect(await queue.read()).toEqual({
        wait: ['2'],
        active: ['1'],
        '1:lock': 't1',
        1: jobHash({
          name: 'send',
          data: '{"a":1}',
          opts: '{"attempts":2}',
          timestamp: 5,
          ats: 2,
          processedOn: NOW,
          pb: 'worker-7',
        }),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'active', jobId: '1', prev: 'waiting' }],
      });
      const ttls = await queue.readTtls();
      expect(Object.keys(ttls)).toEqual(['1:lock']);
      expect(ttls['1:lock']).toBeGreaterThan(25_000);
    });

    it('takes wait before prioritized, and the lowest score of that', async () => {
      const queue = used.queue();
      await queue.seed({
        wait: ['b', 'a'],
        prioritized: { y: 5 * 2 ** 32 + 1, x: 2 ** 32 + 2 },
        pc: 2,
        meta: META,
        jobs: { a: {}, b: {}, x: { priority: 1 }, y: { priority: 5 } },
      });
      const order = [];
      for (let i = 0; i < 5; i++) {
        const fetched = await fetch(queue, { token: `t${i}` });
        order.push(fetched.kind === 'job' ? fetched.job.id : fetched.kind);
      }
      expect(order).toEqual(['a', 'b', 'x', 'y', 'idle']);
      // The counter of arrivals begins anew once prioritized is found empty.
      const dump = await queue.read();
      expect(dump).not.toHaveProperty('pc');
      expect(dump.active).toEqual(['y', 'x', 'b', 'a']);
    });

    it('hands out every field that a worker needs, byte for byte', async () => {
      const queue = used.queue();
      const job = {
        atm: 1,
        stc: 1,
        parentKey: 'bull:p:1',
        parent: '{"id":"1"}',
        rjk: 'nightly',
        deid: 'd',
        progress: '50',
        delay: 7,
        priority: 3,
      };
      await queue.seed({ wait: ['1'], meta: META, jobs: { 1: job } });
      const bytes = Buffer.from([0xff, 0, 0x80]);
      await used.redis.client.hset(queue.key('1'), 'data', bytes);
      expect(await fetch(queue)).toMatchObject({
        job: {
          data: bytes,
          attemptsMade: 1,
          stalledCount: 1,
          parentKey: 'bull:p:1',
          parent: Buffer.from('{"id":"1"}'),
          schedulerId: 'nightly',
          deduplicationId: 'd',
          progress: Buffer.from('50'),
          delay: 7,
          priority: 3,
        },
      });
    });

    it('finds nothing in an empty queue and says when the next job is due', async () => {
      const queue = used.queue();
      expect(await fetch(queue)).toEqual({ kind: 'idle' });
      expect(await queue.read()).toEqual({});
      await queue.seed({ delayed: { x: (NOW + 700) * 4096 + 9 } });
      expect(await fetch(queue)).toEqual({ kind: 'idle', nextDueAt: NOW + 700 });
    });

    it('finds nothing in a paused queue and takes nothing', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: {} }, meta: { ...META, paused: 1 } });
      const before = await queue.read();
      expect(await fetch(queue)).toEqual({ kind: 'idle' });
      expect(await queue.read()).toEqual(before);
    });

    it('hands out as many at once as the global concurrency allows', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['2', '1'], active: ['0'], meta: { ...META, concurrency: 2 } });
      await queue.seed({ jobs: { 0: {}, 1: {}, 2: {} } });
      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });
      const before = await queue.read();
      expect(await fetch(queue, { token: 't2' })).toEqual({ kind: 'idle', maxed: true });
      expect(await queue.read()).toEqual(before);
    });
  });

  describe('rejects, and writes nothing', () => {
    it.each(['', '0'])('LOCK_NOT_OWNED: the token "%s"', async (token) => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], delayed: { 2: 4096 }, jobs: { 1: {}, 2: {} }, meta: META });
      expect(await refusal(queue, () => fetch(queue, { token }))).toBe('LOCK_NOT_OWNED');
    });
  });

  describe('wakes', () => {
    it('the next worker after each job, whatever the gate', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: {} }, meta: { ...META, concurrency: 1 } });
      await fetch(queue);
      expect((await queue.read()).marker).toEqual([['0', 0]]);
    });

    it('nobody when it finds nothing', async () => {
      const queue = used.queue();
      await queue.seed({ delayed: { x: (NOW + 700) * 4096 } });
      await fetch(queue);
      expect(await queue.read()).not.toHaveProperty('marker');
    });
  });

  describe('announces', () => {
    it('active, with its fields in order, also out of prioritized', async () => {
      const queue = used.queue();
      await queue.seed({ prioritized: { 1: 5 }, jobs: { 1: { priority: 1 } }, meta: META });
      await fetch(queue);
      expect(eventLines(await queue.read())).toEqual(['event=active jobId=1 prev=waiting']);
    });
  });

  describe('notes what it takes in a receipt', () => {
    const KEY = 'meta:req:r';
    const two = async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, wait: ['2', '1'], jobs: { 1: {}, 2: {} } });
      return queue;
    };
    const receiptOf = (queue: TestQueue, more: Partial<FetchReceipt> = {}): FetchReceipt => {
      const key = queue.keys.requestReceipts('r');
      const body = { key, field: 'fetch', digest: 'd', ttl: 120_000 };
      return { ...body, call: 'c1', index: 0, ...more };
    };

    it('each pop of a call in a field of its own', async () => {
      const queue = await two();
      await fetch(queue, { receipt: receiptOf(queue) });
      await fetch(queue, { token: 't2', receipt: receiptOf(queue, { index: 1 }) });
      expect((await queue.read())[KEY]).toEqual({
        fetch: '[1,"d",0,"c1"]',
        'job:0': '["1","t1"]',
        'job:1': '["2","t2"]',
      });
      expect((await queue.readTtls())[KEY]).toBeGreaterThan(110_000);
    });

    it('none where it takes nothing', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META });
      expect(await fetch(queue, { receipt: receiptOf(queue) })).toEqual({ kind: 'idle' });
      expect(await queue.read()).toEqual({ meta: META });
    });

    it('and takes nothing for another call of the request, and writes nothing', async () => {
      const queue = await two();
      await fetch(queue, { receipt: receiptOf(queue) });
      const before = await queue.read();
      const second = { token: 't2', receipt: receiptOf(queue, { call: 'c2' }) };
      expect(await fetch(queue, second)).toEqual({ kind: 'replay' });
      expect(await queue.read()).toEqual(before);
    });

    it('rejects REQUEST_ID_REUSED for another body, and writes nothing', async () => {
      const queue = await two();
      await fetch(queue, { receipt: receiptOf(queue) });
      const other = receiptOf(queue, { digest: 'other' });
      const call = () => fetch(queue, { token: 't2', receipt: other });
      expect(await refusal(queue, call)).toBe('REQUEST_ID_REUSED');
    });
  });
});
