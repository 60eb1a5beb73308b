import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { GATES } from '../../test/gates.js';
import { eventLines, META, type TestQueue, useStore } from '../../test/use-store.js';
import { type BulkMove, moveJobsToWait } from './moveJobsToWait.js';

const used = useStore();
const move = (queue: TestQueue, more: Partial<BulkMove> = {}) =>
  moveJobsToWait(used.store, queue.keys, { state: 'failed', limit: 100, ...more });
const ENDED = { atm: 2, finishedOn: 2, processedOn: 1 };
const failed = {
  meta: META,
  failed: { 1: 10, 2: 20, 3: 30 },
  jobs: {
    1: { ...ENDED, failedReason: 'x' },
    2: { ...ENDED, failedReason: 'y', priority: 3 },
    3: { ...ENDED, failedReason: 'z' },
  },
};

describe('moveJobsToWait', () => {
  describe('moves', () => {
    it('failed jobs to where their priority says, oldest first; attempts stay', async () => {
      const queue = used.queue();
      await queue.seed({ ...failed, wait: ['w'] });
      expect(await move(queue)).toEqual({ moved: 3, more: false });
      expect(await queue.read()).toEqual({
        wait: ['3', '1', 'w'],
        prioritized: [['2', 3 * 2 ** 32 + 1]],
        pc: '1',
        1: jobHash({ atm: 2 }),
        2: jobHash({ atm: 2, priority: 3 }),
        3: jobHash({ atm: 2 }),
        meta: META,
        marker: [['0', 0]],
        events: ['1', '2', '3'].map((jobId) => ({ event: 'waiting', jobId, prev: 'failed' })),
      });
    });

    it('as many as asked for, up to a score', async () => {
      const queue = used.queue();
      await queue.seed(failed);
      expect(await move(queue, { limit: 2, maxScore: 20 })).toEqual({ moved: 2, more: true });
      expect(await move(queue, { limit: 2, maxScore: 20 })).toEqual({ moved: 0, more: false });
      expect((await queue.read()).failed).toEqual([['3', 30]]);
    });

    it('completed jobs, without their results', async () => {
      const queue = used.queue();
      const jobs = { 1: { ...ENDED, returnvalue: '1' } };
      await queue.seed({ meta: META, completed: { 1: 10 }, jobs });
      expect(await move(queue, { state: 'completed' })).toEqual({ moved: 1, more: false });
      expect(await queue.read()).toMatchObject({ wait: ['1'], 1: jobHash({ atm: 2 }) });
    });

    it('delayed jobs, which are not delayed any more', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, delayed: { 1: 9e15 }, jobs: { 1: { delay: 500 } } });
      expect(await move(queue, { state: 'delayed' })).toEqual({ moved: 1, more: false });
      expect(await queue.read()).toMatchObject({ wait: ['1'], 1: jobHash({}) });
    });

    it('10,000 in one script', async () => {
      const queue = used.queue();
      const ids = Array.from({ length: 10_000 }, (_, at) => `j${at}`);
      await queue.seed({
        failed: Object.fromEntries(ids.map((id, at) => [id, at])),
        jobs: Object.fromEntries(ids.map((id) => [id, {}])),
      });
      expect(await move(queue, { limit: 10_000 })).toEqual({ moved: 10_000, more: true });
      expect((await queue.read()).wait).toEqual(ids.reverse());
    }, 60_000);

    it('no ids without a hash: they go', async () => {
      const queue = used.queue();
      await queue.seed({ failed: { ghost: 1 } });
      expect(await move(queue)).toEqual({ moved: 1, more: false });
      const dump = await queue.read();
      for (const key of ['failed', 'wait', 'ghost']) expect(dump).not.toHaveProperty(key);
    });

    it('a failed child, for which its parent waits once more', async () => {
      const queue = used.queue();
      const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
      await queue.seed({
        failed: { 1: 10 },
        jobs: { 1: { parent, parentKey: queue.key('p') } },
        'p:failed': { [queue.key('1')]: 'boom' },
      });
      await move(queue);
      expect(await queue.read()).toMatchObject({ 'p:dependencies': [queue.key('1')] });
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ ...failed, active: ['other'], meta: { ...META, ...meta } });
      await move(queue);
      expect('marker' in (await queue.read())).toBe(open);
    });

    it('nobody when there is nothing to move', async () => {
      const queue = used.queue();
      await move(queue);
      expect(await queue.read()).toEqual({});
    });
  });

  it('announces waiting after the state', async () => {
    const queue = used.queue();
    await queue.seed(failed);
    await move(queue, { limit: 1 });
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=1 prev=failed']);
  });
});
