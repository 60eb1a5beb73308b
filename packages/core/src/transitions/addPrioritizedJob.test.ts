import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { itKeepsLimits } from '../../test/limits.js';
import { addedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, useStore } from '../../test/use-store.js';
import type { NewJob } from '../new-job.js';
import { addPrioritizedJob } from './addPrioritizedJob.js';

const used = useStore();
const JOB: NewJob = { name: 'send', data: '1', opts: '{}', timestamp: NOW, priority: 5 };
const CLASS = 2 ** 32;

describe('addPrioritizedJob', () => {
  itKeepsLimits(used, (queue) => addPrioritizedJob(used.store, queue.keys, JOB));

  describe('moves', () => {
    it('stores the job and scores it by priority and arrival', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, wait: ['w'] });

      const added = await addPrioritizedJob(used.store, queue.keys, JOB);

      expect(added).toEqual({ jobId: '1', outcome: 'created', state: 'prioritized' });
      expect(await queue.read()).toEqual({
        wait: ['w'],
        prioritized: [['1', 5 * CLASS + 1]],
        pc: '1',
        id: '1',
        1: jobHash({ name: 'send', data: '1', timestamp: NOW, priority: 5 }),
        meta: META,
        marker: [['0', 0]],
        events: [
          { event: 'added', jobId: '1', name: 'send' },
          { event: 'waiting', jobId: '1' },
        ],
      });
    });

    it('keeps arrivals apart within a class, up to the highest class', async () => {
      const queue = used.queue();
      for (const priority of [2_097_151, 1, 2_097_151]) {
        await addPrioritizedJob(used.store, queue.keys, { ...JOB, priority });
      }
      expect((await queue.read()).prioritized).toEqual([
        ['2', CLASS + 2],
        ['1', 2_097_151 * CLASS + 1],
        ['3', 2_097_151 * CLASS + 3],
      ]);
    });

    it('lets the counter of arrivals wrap inside the class', async () => {
      const queue = used.queue();
      await queue.seed({ pc: CLASS - 2 });
      for (let i = 0; i < 2; i++) await addPrioritizedJob(used.store, queue.keys, JOB);
      expect((await queue.read()).prioritized).toEqual([
        ['2', 5 * CLASS],
        ['1', 5 * CLASS + CLASS - 1],
      ]);
    });

    it('leaves an existing job as it is', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, jobs: { a: { name: 'old' } }, completed: { a: 1 } });
      const added = await addPrioritizedJob(used.store, queue.keys, { ...JOB, customId: 'a' });
      expect(added).toMatchObject({ jobId: 'a', outcome: 'existing' });
      expect(await queue.read()).toEqual({
        meta: META,
        a: jobHash({ name: 'old' }),
        completed: [['a', 1]],
        id: '1',
        events: [{ event: 'duplicated', jobId: 'a' }],
      });
    });

    it('makes a child one that its parent waits for', async () => {
      const queue = used.queue();
      await queue.seed({ jobs: { p: {} } });
      const parent = { key: queue.key('p'), json: '{"id":"p"}' };
      await addPrioritizedJob(used.store, queue.keys, { ...JOB, parent });
      expect(await queue.read()).toMatchObject({
        1: { parentKey: queue.key('p'), parent: '{"id":"p"}' },
        'p:dependencies': [queue.key('1')],
      });
    });
  });

  it('rejects PARENT_JOB_NOT_FOUND, and writes nothing', async () => {
    const queue = used.queue();
    const parent = { key: queue.key('p'), json: '{}' };
    const call = () => addPrioritizedJob(used.store, queue.keys, { ...JOB, parent });
    expect(await refusal(queue, call)).toBe('PARENT_JOB_NOT_FOUND');
  });

  it('rejects PARENT_JOB_CANNOT_BE_REPLACED while the other parent lives, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['c'], jobs: { c: { parentKey: queue.key('q') }, p: {}, q: {} } });
    const parent = { key: queue.key('p'), json: '{"id":"p"}' };
    const call = () => addPrioritizedJob(used.store, queue.keys, { ...JOB, customId: 'c', parent });
    expect(await refusal(queue, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ active: ['other'], meta: { ...META, ...meta } });
      await addPrioritizedJob(used.store, queue.keys, JOB);
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces added, then waiting, with their fields in order', async () => {
    const queue = used.queue();
    await addPrioritizedJob(used.store, queue.keys, JOB);
    expect(eventLines(await queue.read())).toEqual([
      'event=added jobId=1 name=send',
      'event=waiting jobId=1',
    ]);
  });

  itKeepsReceipts(used, {
    seed: { id: 6 },
    call: (queue, receipt) => addPrioritizedJob(used.store, queue.keys, { ...JOB, receipt }),
    answer: '["7","created","prioritized",""]',
    again: addedBefore,
  });
});
