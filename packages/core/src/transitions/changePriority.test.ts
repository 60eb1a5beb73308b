import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { META, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { changePriority, type PriorityChange } from './changePriority.js';

const used = useStore();
const CLASS = 2 ** 32;
const change = (queue: TestQueue, more: Partial<PriorityChange> = {}) =>
  changePriority(used.store, queue.keys, { jobId: '1', priority: 5, ...more });
const waiting = { meta: META, wait: ['3', '1', '2'], jobs: { 1: {}, 2: {}, 3: {} } };

describe('changePriority', () => {
  describe('moves', () => {
    it('a waiting job to its class', async () => {
      const queue = used.queue();
      await queue.seed({ ...waiting, pc: 8 });
      await change(queue);
      expect(await queue.read()).toEqual({
        wait: ['3', '2'],
        prioritized: [['1', 5 * CLASS + 9]],
        pc: '9',
        1: jobHash({ priority: 5 }),
        2: jobHash({}),
        3: jobHash({}),
        meta: META,
        marker: [['0', 0]],
      });
    });

    it('a prioritized one to another class, to the front of it, or out of all', async () => {
      const queue = used.queue();
      await queue.seed({ ...waiting, wait: ['2'], prioritized: { 1: 7 * CLASS + 1 } });
      await change(queue, { priority: 6 });
      expect((await queue.read()).prioritized).toEqual([['1', 6 * CLASS + 1]]);
      await change(queue, { priority: 6, lifo: true });
      expect((await queue.read()).prioritized).toEqual([['1', 6 * CLASS]]);
      await change(queue, { priority: 0 });
      expect(await queue.read()).toMatchObject({ wait: ['1', '2'], 1: { priority: '0' } });
      await change(queue, { priority: 0, lifo: true });
      expect((await queue.read()).wait).toEqual(['2', '1']);
    });

    it('one that a BullMQ 5 peer parked', async () => {
      const queue = used.queue();
      await queue.seed({ ...waiting, wait: [], paused: ['1', '2'] });
      await change(queue);
      expect(await queue.read()).toMatchObject({
        paused: ['2'],
        prioritized: [['1', 5 * CLASS + 1]],
      });
    });

    it.each([
      ['delayed', { delayed: { 1: 9e15 } }],
      ['active', { active: ['1'] }],
      ['completed', { completed: { 1: 1 } }],
    ])('not one that is %s: only its hash says so', async (_, state) => {
      const queue = used.queue();
      await queue.seed({ ...state, meta: META, jobs: { 1: {} } });
      const before = await queue.read();
      await change(queue);
      expect(await queue.read()).toEqual({ ...before, 1: jobHash({ priority: 5 }) });
    });
  });

  it('rejects JOB_NOT_FOUND, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'] });
    expect(await refusal(queue, () => change(queue))).toBe('JOB_NOT_FOUND');
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ ...waiting, active: ['other'], meta: { ...META, ...meta } });
      await change(queue, { lifo: true });
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces nothing', async () => {
    const queue = used.queue();
    await queue.seed(waiting);
    await change(queue);
    expect(await queue.read()).not.toHaveProperty('events');
  });
});
