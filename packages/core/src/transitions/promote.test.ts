import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { eventLines, META, refusal, useStore } from '../../test/use-store.js';
import { promote } from './promote.js';

const used = useStore();
const delayed = { meta: META, delayed: { 1: 9e15, 2: 9e15 }, jobs: { 1: { delay: 5_000 }, 2: {} } };

describe('promote', () => {
  describe('moves', () => {
    it('a delayed job to the back of wait', async () => {
      const queue = used.queue();
      await queue.seed({ ...delayed, wait: ['3'] });
      expect(await promote(used.store, queue.keys, '1')).toBe('waiting');
      expect(await queue.read()).toEqual({
        wait: ['1', '3'],
        delayed: [['2', 9e15]],
        1: jobHash({}),
        2: jobHash({}),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'delayed' }],
      });
    });

    it('or to its priority', async () => {
      const queue = used.queue();
      await queue.seed({ ...delayed, jobs: { 1: { delay: 5, priority: 9 } } });
      expect(await promote(used.store, queue.keys, '1')).toBe('prioritized');
      expect(await queue.read()).toMatchObject({
        prioritized: [['1', 9 * 2 ** 32 + 1]],
        pc: '1',
        1: jobHash({ priority: 9 }),
      });
    });
  });

  describe('rejects, and writes nothing', () => {
    it.each([
      ['JOB_NOT_FOUND', 'no such job', 'x', {}],
      ['JOB_NOT_FOUND', 'an id without a hash', 'g', { delayed: { g: 9e15 } }],
      ['JOB_NOT_FOUND', 'a key that is no hash', 'g', { delayed: { g: 9e15 }, g: 'text' }],
      ['JOB_NOT_IN_STATE', 'it waits already', '1', { delayed: { 2: 9e15 }, wait: ['1'] }],
      ['JOB_NOT_IN_STATE', 'it is active', '1', { delayed: [], active: ['1'] }],
    ])('%s: %s', async (reason, _, id, more) => {
      const queue = used.queue();
      await queue.seed({ ...delayed, ...more });
      expect(await refusal(queue, () => promote(used.store, queue.keys, id))).toBe(reason);
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ ...delayed, active: ['other'], meta: { ...META, ...meta } });
      await promote(used.store, queue.keys, '1');
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces waiting after delayed', async () => {
    const queue = used.queue();
    await queue.seed(delayed);
    await promote(used.store, queue.keys, '1');
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=1 prev=delayed']);
  });
});
