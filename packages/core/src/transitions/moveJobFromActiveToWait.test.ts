import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { eventLines, META, type TestQueue, useStore } from '../../test/use-store.js';
import { moveJobFromActiveToWait, type Release } from './moveJobFromActiveToWait.js';

const used = useStore();
const release = (queue: TestQueue, more: Partial<Release> = {}) =>
  moveJobFromActiveToWait(used.store, queue.keys, { jobId: '1', token: 't1', ...more });

describe('moveJobFromActiveToWait', () => {
  describe('moves', () => {
    it('an active job to where it runs next, with no attempt counted', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 1 }, { wait: ['3', '2'] }));
      expect(await release(queue)).toBe(0);
      expect(await queue.read()).toEqual({
        wait: ['3', '2', '1'],
        1: jobHash({ ats: 1, atm: 1 }),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
      });
    });

    it('or to the back', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['3', '2'] }));
      await release(queue, { toBack: true });
      expect((await queue.read()).wait).toEqual(['1', '3', '2']);
    });

    it.each([
      [false, 3 * 2 ** 32, undefined],
      [true, 3 * 2 ** 32 + 8, '8'],
    ])('a job with a priority within its class, to the back: %s', async (toBack, score, pc) => {
      const queue = used.queue();
      await queue.seed(activeJob({ priority: 3 }, { pc: 7 }));
      await release(queue, { toBack });
      expect(await queue.read()).toMatchObject({
        prioritized: [['1', score]],
        pc: pc ?? '7',
        marker: [['0', 0]],
      });
    });

    it('and limits the whole queue when asked', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      const ttl = await release(queue, { limitMs: 60_000 });
      expect(ttl).toBeGreaterThan(50_000);
      expect(await queue.read()).toMatchObject({ limiter: '9007199254740991' });
      expect((await queue.readTtls()).limiter).toBeGreaterThan(50_000);
    });

    it('and tells of a limit that stands', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { limiter: 3, ttls: { limiter: 60_000 } }));
      const ttl = await release(queue);
      expect(ttl).toBeGreaterThan(50_000);
      expect(await queue.read()).toMatchObject({ limiter: '3' });
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) =>
    release(queue, { jobId, token, limitMs: 60_000 }),
  );

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      const job = activeJob({}, { active: ['1', 'other'] });
      await queue.seed({ ...job, meta: { ...META, ...meta } });
      await release(queue);
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces waiting after active', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await release(queue);
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=1 prev=active']);
  });
});
