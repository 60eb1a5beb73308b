import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type Clean, cleanJobsInSet } from './cleanJobsInSet.js';

const used = useStore();
const clean = (queue: TestQueue, more: Partial<Clean> = {}) =>
  cleanJobsInSet(used.store, queue.keys, {
    state: 'completed',
    olderThan: 20,
    limit: 100,
    ...more,
  });

describe('cleanJobsInSet', () => {
  describe('moves nothing: it removes old jobs of', () => {
    it.each(['completed', 'failed', 'waiting-children'] as const)(
      '%s, by the time in the set',
      async (state) => {
        const queue = used.queue();
        await queue.seed({
          [state]: { 1: 10, 2: 20, 3: 30 },
          jobs: { 1: { deid: 'x' }, 2: {}, 3: {} },
          '1:logs': ['l'],
          'de:x': '1',
          meta: META,
        });
        expect(await clean(queue, { state })).toEqual(['1', '2']);
        expect(await queue.read()).toEqual({
          [state]: [['3', 30]],
          3: jobHash({}),
          meta: META,
          events: [{ event: 'cleaned', count: '2' }],
        });
      },
    );

    it.each(['completed', 'failed'] as const)(
      '%s that are past the age of their own options, of so many from a rank on, without a word',
      async (state) => {
        const queue = used.queue();
        const name = state === 'completed' ? 'removeOnComplete' : 'removeOnFail';
        const kept = (age: number) => ({ finishedOn: 1_000, opts: { [name]: { age } } });
        const other = state === 'completed' ? 'removeOnFail' : 'removeOnComplete';
        const jobs = {
          ...{ 1: kept(1), 2: kept(60), 3: kept(1), 4: { finishedOn: 1_000 } },
          ...{ 5: { finishedOn: 1_000, opts: { [other]: { age: 1 } } }, 6: kept(1) },
        };
        const ranks = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6 };
        await queue.seed({ [state]: ranks, jobs, meta: META });
        const expired = (expiredFrom: number, limit: number) =>
          clean(queue, { state, olderThan: 2_000, limit, expiredFrom });
        expect(await expired(1, 4)).toEqual(['3']);
        expect(await expired(0, 100)).toEqual(['1', '6']);
        expect(await clean(queue, { state, olderThan: 1_999, limit: 100, expiredFrom: 0 })).toEqual(
          [],
        );
        const dump = await queue.read();
        expect(Object.keys(dump).sort()).toEqual(['2', '4', '5', state, 'meta'].sort());
      },
    );

    it.each([
      ['waiting', { wait: ['5', '4', '3', '2', '1'] }],
      ['delayed', { delayed: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 } }],
      ['prioritized', { prioritized: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 } }],
    ] as const)('%s, by the latest of their own times', async (state, jobs) => {
      const queue = used.queue();
      await queue.seed({ ...jobs, meta: META });
      await queue.seed({
        jobs: {
          1: { timestamp: 10 },
          2: { timestamp: 30 },
          3: { timestamp: 1, processedOn: 30 },
          4: { timestamp: 99, processedOn: 98, finishedOn: 20 },
          // Nine is less than ten, as numbers go.
          5: { timestamp: 9 },
        },
      });
      expect(await clean(queue, { state })).toEqual(['1', '4', '5']);
      const dump = await queue.read();
      expect(Object.keys(dump).filter((key) => /^\d$/.test(key))).toEqual(['2', '3']);
    });

    it('active, unless a worker has them', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['2', '1'], jobs: { 1: {}, 2: {} }, locks: { 1: 't' } });
      expect(await clean(queue, { state: 'active' })).toEqual(['2']);
      expect(await queue.read()).toMatchObject({ active: ['1'], '1:lock': 't' });
    });

    it('as many as asked for, the oldest first', async () => {
      const queue = used.queue();
      const jobs = { 1: {}, 2: {}, 3: {} };
      await queue.seed({ wait: ['3', '2', '1'], completed: { 1: 1, 2: 2, 3: 3 }, jobs });
      expect(await clean(queue, { state: 'waiting', limit: 2 })).toEqual(['1', '2']);
      expect(await clean(queue, { limit: 1 })).toEqual(['1']);
    });

    it('all with ids that have no hash, or a key that is none', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1', 'text', 'ghost'], text: 'a string' });
      await queue.seed({ jobs: { 1: { timestamp: 99 } }, delayed: { text: 1 } });
      expect(await clean(queue, { state: 'waiting' })).toEqual(['ghost', 'text']);
      expect((await queue.read()).wait).toEqual(['1']);
    });
  });

  it.each([
    ['wakes a worker for the slot that an active job held', { concurrency: 1 }, true],
    ['wakes nobody in a paused queue', { concurrency: 1, paused: 1 }, false],
    ['wakes nobody without a global concurrency', {}, false],
  ])('%s', async (_, gate, wakes) => {
    const queue = used.queue();
    await queue.seed({ active: ['1'], wait: ['2'], jobs: { 1: {}, 2: {} } });
    await queue.seed({ meta: { ...META, ...gate } });
    await clean(queue, { state: 'active' });
    expect('marker' in (await queue.read())).toBe(wakes);
  });

  it('leaves the next run of a scheduler, but no finished one', async () => {
    const queue = used.queue();
    const run = `repeat:nightly:${NOW}`;
    const jobs = { [run]: { rjk: 'nightly' } };
    await queue.seed({ delayed: { [run]: 1 }, repeat: { nightly: NOW }, jobs });
    expect(await clean(queue, { state: 'delayed' })).toEqual([]);
    await queue.seed({ delayed: [], completed: { [run]: 1 } });
    expect(await clean(queue)).toEqual([run]);
  });

  it('lets a parent run whose last child it removed', async () => {
    const queue = used.queue();
    const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
    await queue.seed({
      failed: { 1: 1 },
      jobs: { 1: { parent, parentKey: queue.key('p') }, p: {} },
      'waiting-children': { p: 1 },
      'p:dependencies': [queue.key('1')],
    });
    await clean(queue, { state: 'failed' });
    expect(await queue.read()).toMatchObject({ wait: ['p'], marker: [['0', 0]] });
  });

  it('announces how many, once, and nothing for none', async () => {
    const queue = used.queue();
    await queue.seed({ completed: { 1: 1, 2: 2 }, jobs: { 1: {}, 2: {} } });
    await clean(queue);
    await clean(queue);
    expect(eventLines(await queue.read())).toEqual(['event=cleaned count=2']);
  });
});
