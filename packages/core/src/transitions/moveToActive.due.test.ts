import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, useStore } from '../../test/use-store.js';
import type { FetchingWorker } from '../outcomes.js';
import { moveToActive } from './moveToActive.js';

const used = useStore();
const WORKER: FetchingWorker = { token: 't1', lockDuration: 30_000 };
const fetch = (queue: ReturnType<typeof used.queue>, worker: Partial<FetchingWorker> = {}) =>
  moveToActive(used.store, queue.keys, { ...WORKER, ...worker }, NOW);

describe('moveToActive', () => {
  describe('moves due jobs first', () => {
    it('to where their priority says, then takes one', async () => {
      const queue = used.queue();
      await queue.seed({
        wait: ['w'],
        delayed: { late: 4096, high: NOW * 4096, now: NOW * 4096 + 4095, next: (NOW + 1) * 4096 },
        meta: META,
        jobs: { w: {}, late: { delay: 5 }, high: { delay: 5, priority: 2 }, now: { delay: 5 } },
      });

      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: 'w' } });

      expect(await queue.read()).toMatchObject({
        wait: ['now', 'late'],
        prioritized: [['high', 2 * 2 ** 32 + 1]],
        delayed: [['next', (NOW + 1) * 4096]],
        late: jobHash({}),
        high: jobHash({ priority: 2 }),
        now: jobHash({}),
      });
      expect(eventLines(await queue.read())).toEqual([
        'event=waiting jobId=late prev=delayed',
        'event=waiting jobId=high prev=delayed',
        'event=waiting jobId=now prev=delayed',
        'event=active jobId=w prev=waiting',
      ]);
    });

    it.each([{ paused: 1 }, { concurrency: 1 }])('behind a gate closed by %j', async (gate) => {
      const queue = used.queue();
      const meta = { ...META, ...gate };
      await queue.seed({ active: ['a'], delayed: { 1: 4096 }, jobs: { 1: { delay: 1 } }, meta });
      const maxed = 'concurrency' in gate ? { maxed: true } : {};
      expect(await fetch(queue)).toEqual({ kind: 'idle', ...maxed });
      const dump = await queue.read();
      expect(dump).toMatchObject({ wait: ['1'], 1: jobHash({}) });
      expect(dump).not.toHaveProperty('marker');
      expect(dump).not.toHaveProperty('delayed');
    });

    it('in a rate limited queue', async () => {
      const queue = used.queue();
      await queue.seed({ delayed: { 1: 4096 }, jobs: { 1: { delay: 1 } }, meta: META });
      await queue.seed({ limiter: 3, ttls: { limiter: 60_000 } });
      const fetched = await fetch(queue, { limiter: { max: 3, duration: 60_000 } });
      expect(fetched.kind).toBe('limited');
      expect(await queue.read()).toMatchObject({ wait: ['1'], marker: [['0', 0]] });
    });

    it('at most 1,000 at once; the rest follows with the next fetch', async () => {
      const queue = used.queue();
      const ids = Array.from({ length: 1_005 }, (_, at) => `j${at}`);
      await queue.seed({
        delayed: Object.fromEntries(ids.map((id, at) => [id, 4096 + at])),
        jobs: Object.fromEntries(ids.map((id) => [id, { delay: 1 }])),
        meta: META,
      });
      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: 'j0' } });
      const first = await queue.read();
      expect(first.wait).toEqual(ids.slice(1, 1_000).reverse());
      expect(first.delayed).toHaveLength(5);
      expect(await fetch(queue, { token: 't2' })).toMatchObject({ job: { id: 'j1' } });
      const second = await queue.read();
      expect(second.wait).toEqual(ids.slice(2).reverse());
      expect(second).not.toHaveProperty('delayed');
    });
  });

  describe('honours rate limits', () => {
    it('counts starts and answers for how long the limit is reached', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['3', '2', '1'], jobs: { 1: {}, 2: {}, 3: {} }, meta: META });
      const limiter = { max: 2, duration: 60_000 };
      await fetch(queue, { limiter });
      expect((await queue.readTtls()).limiter).toBeGreaterThan(50_000);
      await fetch(queue, { limiter, token: 't2' });
      const before = await queue.read();

      const third = await fetch(queue, { limiter, token: 't3' });

      expect(third).toMatchObject({ kind: 'limited' });
      if (third.kind === 'limited') {
        expect(third.ttlMs).toBeGreaterThan(50_000);
        expect(third.ttlMs).toBeLessThanOrEqual(60_000);
      }
      expect(before).toMatchObject({ limiter: '2', wait: ['3'], active: ['2', '1'] });
      expect(await queue.read()).toEqual(before);
    });

    it("puts the queue's own maximum before the worker's", async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], meta: { ...META, max: 1, duration: 60_000 }, limiter: 1 });
      await queue.seed({ ttls: { limiter: 60_000 }, jobs: { 1: {} } });
      const fetched = await fetch(queue, { limiter: { max: 100, duration: 60_000 } });
      expect(fetched.kind).toBe('limited');
    });

    it.each([
      ['where the worker names none', undefined],
      ["before the worker's", { max: 100, duration: 60_000 }],
    ])("takes the queue's duration %s", async (_where, limiter) => {
      const queue = used.queue();
      await queue.seed({
        wait: ['1'],
        meta: { ...META, max: 5, duration: 9_000 },
        jobs: { 1: {} },
      });
      await fetch(queue, limiter ? { limiter } : {});
      const ttls = await queue.readTtls();
      expect(ttls.limiter).toBeGreaterThan(5_000);
      expect(ttls.limiter).toBeLessThanOrEqual(9_000);
    });

    it('honours a manual limit without any maximum', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: {} }, limiter: '9007199254740991' });
      await queue.seed({ ttls: { limiter: 60_000 } });
      expect(await fetch(queue)).toMatchObject({ kind: 'limited' });
    });

    it('is not limited by a count without an end', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: {} }, limiter: 7 });
      expect(await fetch(queue, { limiter: { max: 2, duration: 1_000 } })).toMatchObject({
        kind: 'job',
      });
    });

    it('counts nothing when neither queue nor worker has a limit', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: {} } });
      await fetch(queue);
      expect(await queue.read()).not.toHaveProperty('limiter');
    });
  });
});
