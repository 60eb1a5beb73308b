import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type Removal, removeJob } from './removeJob.js';

const used = useStore();
const remove = (queue: TestQueue, more: Partial<Removal> = {}) =>
  removeJob(used.store, queue.keys, { jobId: '1', ...more });

describe('removeJob', () => {
  describe('moves a job out of', () => {
    it.each<[string, QueueState]>([
      ['wait', { wait: ['2', '1', '3'] }],
      ['paused', { paused: ['2', '1', '3'] }],
      ['active', { active: ['2', '1', '3'] }],
      ['prioritized', { prioritized: { 1: 5, 2: 6 } }],
      ['delayed', { delayed: { 1: 5, 2: 6 } }],
      ['waiting-children', { 'waiting-children': { 1: 5, 2: 6 } }],
      ['completed', { completed: { 1: 5, 2: 6 } }],
      ['failed', { failed: { 1: 5, 2: 6 } }],
      ['unknown', { wait: ['2'] }],
    ])('%s', async (location, state) => {
      const queue = used.queue();
      await queue.seed({ ...state, meta: META, stalled: ['1', '2'], jobs: { 1: {}, 2: {} } });
      const all = {
        '1:logs': ['a'],
        '1:processed': { c: '1' },
        '1:failed': { d: 'x' },
        '1:unsuccessful': { e: 1 },
        '1:dependencies': ['f'],
      };
      await queue.seed(all);

      expect(await remove(queue)).toBe(location);

      const { events, ...after } = await queue.read();
      expect(Object.keys(after).filter((key) => key.startsWith('1'))).toEqual([]);
      expect(after).toMatchObject({ stalled: ['2'], 2: jobHash({}) });
      const left = after[location];
      if (location !== 'unknown') expect(JSON.stringify(left)).not.toContain('"1"');
      if (location !== 'unknown') expect(JSON.stringify(left)).toContain('"2"');
      expect(events).toEqual([{ event: 'removed', jobId: '1', prev: location }]);
    });

    it('active with its lock when forced: its worker then finds the lease lost', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['1'], jobs: { 1: {} }, locks: { 1: 't1' }, meta: META });
      expect(await remove(queue, { force: true })).toBe('active');
      expect(await queue.read()).toEqual({
        meta: META,
        events: [{ event: 'removed', jobId: '1', prev: 'active' }],
      });
    });
  });

  describe('and', () => {
    it.each([
      ['frees its deduplication id', { 'de:d': '1' }, false],
      ['also one whose time still runs', { 'de:d': '1', ttls: { 'de:d': 60_000 } }, false],
      ['but not one that another job owns', { 'de:d': '2' }, true],
    ])('%s', async (_, state, kept) => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: { deid: 'd' } }, ...state });
      await remove(queue);
      expect('de:d' in (await queue.read())).toBe(kept);
    });

    it('lets a parent run whose last child it was', async () => {
      const queue = used.queue();
      const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
      await queue.seed({
        meta: META,
        delayed: { 1: 5 },
        jobs: { 1: { parent, parentKey: queue.key('p') }, p: { timestamp: 1, priority: 3 } },
        'p:dependencies': [queue.key('1')],
        'waiting-children': { p: 1 },
      });
      await remove(queue);
      expect(await queue.read()).toEqual({
        wait: ['p'],
        p: jobHash({ timestamp: 1, priority: 3 }),
        meta: META,
        marker: [['0', 0]],
        events: [
          { event: 'waiting', jobId: 'p', prev: 'waiting-children' },
          { event: 'removed', jobId: '1', prev: 'delayed' },
        ],
      });
    });
  });

  describe('rejects, and writes nothing', () => {
    it('JOB_NOT_FOUND', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1', '2'], jobs: { 2: {} } });
      expect(await refusal(queue, () => remove(queue))).toBe('JOB_NOT_FOUND');
      await queue.seed({ 1: 'a string' });
      expect(await refusal(queue, () => remove(queue))).toBe('JOB_NOT_FOUND');
    });

    it('JOB_LOCKED: a worker runs it', async () => {
      const queue = used.queue();
      await queue.seed({
        active: ['1'],
        jobs: { 1: { deid: 'd' } },
        locks: { 1: 't1' },
        'de:d': '1',
      });
      expect(await refusal(queue, () => remove(queue))).toBe('JOB_LOCKED');
    });

    it('JOB_BELONGS_TO_SCHEDULER: it is the next run, also when forced', async () => {
      const queue = used.queue();
      const jobId = `repeat:night:ly:${NOW}`;
      await queue.seed({ delayed: { [jobId]: 5 }, repeat: { 'night:ly': NOW } });
      await queue.seed({ jobs: { [jobId]: { rjk: 'night:ly' } } });
      for (const force of [false, true]) {
        const call = () => remove(queue, { jobId, force });
        expect(await refusal(queue, call)).toBe('JOB_BELONGS_TO_SCHEDULER');
      }
      await queue.seed({ repeat: { 'night:ly': NOW + 1 } });
      expect(await remove(queue, { jobId })).toBe('delayed');
    });
  });

  describe('wakes', () => {
    it.each([
      ['a slot that the global concurrency had closed', { concurrency: 1 }, true],
      ['nobody without a global concurrency', {}, false],
      ['nobody in a paused queue', { concurrency: 1, paused: 1 }, false],
    ])('%s', async (_, gate, wakes) => {
      const queue = used.queue();
      await queue.seed({ active: ['1'], wait: ['2'], jobs: { 1: {}, 2: {} } });
      await queue.seed({ meta: { ...META, ...gate } });
      await remove(queue);
      expect('marker' in (await queue.read())).toBe(wakes);
    });
  });

  it('announces removed with the place that held it', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: {} } });
    await remove(queue);
    expect(eventLines(await queue.read())).toEqual(['event=removed jobId=1 prev=wait']);
  });
});
