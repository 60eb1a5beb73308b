import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { GATES } from '../../test/gates.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { moveStalledJobsToWait, type SweepOptions } from './moveStalledJobsToWait.js';

const used = useStore();
const sweep = (queue: TestQueue, more: Partial<SweepOptions> = {}) =>
  moveStalledJobsToWait(
    used.store,
    queue.keys,
    { maxStalledCount: 1, stalledInterval: 60_000, ...more },
    NOW,
  );
const NOTHING = { recovered: [], failed: [], unbegun: 0, more: false };

describe('moveStalledJobsToWait', () => {
  describe('moves', () => {
    it('nothing at the first sweep: it marks what is active', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['2', '1'], jobs: { 1: {}, 2: {} }, meta: META });
      const before = await queue.read();
      expect(await sweep(queue)).toEqual(NOTHING);
      expect(await queue.read()).toEqual({
        ...before,
        stalled: ['1', '2'],
        'stalled-check': `${NOW}`,
      });
      expect((await queue.readTtls())['stalled-check']).toBeGreaterThan(50_000);
    });

    it('at the second, marked jobs without a lock back to where they run next', async () => {
      const queue = used.queue();
      await queue.seed({
        wait: ['5', '4'],
        active: ['3', '2', '1'],
        stalled: ['1', '2', '9'],
        jobs: { 1: { ats: 1, priority: 4, pb: 'w' }, 2: {}, 3: {} },
        locks: { 2: 't2' },
        meta: META,
      });

      const swept = await sweep(queue);

      expect(swept).toEqual({ recovered: ['1'], failed: [], unbegun: 0, more: false });
      expect(await queue.read()).toEqual({
        wait: ['5', '4', '1'],
        active: ['3', '2'],
        stalled: ['2', '3'],
        'stalled-check': `${NOW}`,
        '2:lock': 't2',
        1: jobHash({ ats: 1, priority: 4, pb: 'w', stc: 1 }),
        2: jobHash({}),
        3: jobHash({}),
        meta: META,
        marker: [['0', 0]],
        events: [
          { event: 'waiting', jobId: '1', prev: 'active' },
          { event: 'stalled', jobId: '1' },
        ],
      });
    });

    it('nothing while another sweep counts, unless forced', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['1'], stalled: ['1'], jobs: { 1: {} }, 'stalled-check': 5 });
      await queue.seed({ ttls: { 'stalled-check': 60_000 } });
      const before = await queue.read();
      expect(await sweep(queue)).toEqual(NOTHING);
      expect(await queue.read()).toEqual(before);
      expect(await sweep(queue, { force: true })).toMatchObject({ recovered: ['1'] });
    });

    it('a job that was renewed, finished or taken anew since it was marked, not at all', async () => {
      const queue = used.queue();
      await queue.seed({
        active: ['renewed'],
        completed: { finished: 1 },
        wait: ['released'],
        stalled: ['renewed', 'finished', 'released'],
        jobs: { renewed: {}, finished: {}, released: {} },
        locks: { renewed: 't' },
        meta: META,
      });
      const { stalled: _, ...before } = await queue.read();
      expect(await sweep(queue)).toEqual(NOTHING);
      const { 'stalled-check': __, ...after } = await queue.read();
      expect(after).toEqual({ ...before, stalled: ['renewed'] });
    });

    it('an id without a hash, and one whose key is none, out of active, and counts it', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['text', 'ghost'], stalled: ['text', 'ghost'], text: 'a string' });
      expect(await sweep(queue)).toEqual(NOTHING);
      const dump = await queue.read();
      expect(dump).toEqual({
        'stalled-check': `${NOW}`,
        text: 'a string',
        'meta:counters:1': { withoutHash: '2' },
      });
    });

    it('at most so many, and keeps the rest marked for the next', async () => {
      const queue = used.queue();
      const ids = Array.from({ length: 25 }, (_, at) => `j${at}`);
      await queue.seed({
        active: ids,
        stalled: ids,
        jobs: Object.fromEntries(ids.map((id) => [id, { stc: id === 'j3' ? 1 : 0 }])),
      });
      const taken: string[] = [];
      for (const [moved, more] of [
        [10, true],
        [10, true],
        [5, false],
      ] as const) {
        const swept = await sweep(queue, { maxMoved: 10, force: true });
        expect([swept.recovered.length + swept.failed.length, swept.more]).toEqual([moved, more]);
        taken.push(...swept.recovered, ...swept.failed);
      }
      expect([...taken].sort()).toEqual([...ids].sort());
      const dump = await queue.read();
      expect(dump.wait).toHaveLength(24);
      expect(dump.failed).toEqual([['j3', NOW]]);
      for (const key of ['active', 'stalled']) expect(dump).not.toHaveProperty(key);
    });

    it('marks more active jobs than one SADD takes', async () => {
      const queue = used.queue();
      const ids = Array.from({ length: 9_500 }, (_, at) => `j${at}`);
      await queue.seed({ active: ids });
      await sweep(queue);
      expect((await queue.read()).stalled).toEqual([...ids].sort());
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      const locks = { other: 't' };
      await queue.seed({
        active: ['1', 'other'],
        stalled: ['1'],
        jobs: { 1: {}, other: {} },
        locks,
      });
      await queue.seed({ meta: { ...META, ...meta } });
      await sweep(queue);
      const dump = await queue.read();
      expect(dump.wait).toEqual(['1']);
      expect('marker' in dump).toBe(open);
    });

    it('a worker for the slot that a dropped id held', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['ghost'], stalled: ['ghost'], wait: ['2'], jobs: { 2: {} } });
      await queue.seed({ meta: { ...META, concurrency: 1 } });
      await sweep(queue);
      expect(await queue.read()).toMatchObject({ marker: [['0', 0]], wait: ['2'] });
    });

    it('nobody when it recovers nothing', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['1'], wait: ['2'], jobs: { 1: {}, 2: {} } });
      await sweep(queue);
      expect(await queue.read()).not.toHaveProperty('marker');
    });
  });

  it('announces waiting, then stalled, for each, and trims the stream', async () => {
    const queue = used.queue();
    const old = Array.from({ length: 300 }, () => ({ event: 'old' }));
    await queue.seed({ active: ['1'], stalled: ['1'], jobs: { 1: {} }, events: old });
    await queue.seed({ meta: { 'opts.maxLenEvents': 10 } });
    await sweep(queue);
    const lines = eventLines(await queue.read());
    expect(lines.slice(-2)).toEqual(['event=waiting jobId=1 prev=active', 'event=stalled jobId=1']);
    expect(lines.length).toBeLessThan(200);
  });
});
