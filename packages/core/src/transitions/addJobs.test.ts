import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { itKeepsLimits } from '../../test/limits.js';
import { addedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, useStore } from '../../test/use-store.js';
import type { NewJob } from '../new-job.js';
import { addJobs } from './addJobs.js';

const used = useStore();
const JOB: NewJob = { name: 'send', data: '1', opts: '{}' };

describe('addJobs', () => {
  itKeepsLimits(used, (queue) => addJobs(used.store, queue.keys, [JOB]));

  describe('moves', () => {
    it('stores jobs of every kind, in the order given', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, jobs: { old: { name: 'old' } } });

      const added = await addJobs(
        used.store,
        queue.keys,
        [
          JOB,
          { ...JOB, priority: 7 },
          { ...JOB, delay: 100, priority: 2, timestamp: NOW - 50 },
          { ...JOB, dueAt: NOW + 10 },
          { ...JOB, lifo: true, customId: 'mine' },
          { ...JOB, customId: 'old' },
        ],
        { now: NOW },
      );

      expect(added).toEqual([
        { jobId: '1', outcome: 'created', state: 'waiting' },
        { jobId: '2', outcome: 'created', state: 'prioritized' },
        { jobId: '3', outcome: 'created', state: 'delayed' },
        { jobId: '4', outcome: 'created', state: 'delayed' },
        { jobId: 'mine', outcome: 'created', state: 'waiting' },
        { jobId: 'old', outcome: 'existing', existingJobId: 'old' },
      ]);
      const hash = { name: 'send', data: '1', timestamp: NOW };
      const { events, ...state } = await queue.read();
      expect(state).toEqual({
        wait: ['1', 'mine'],
        prioritized: [['2', 7 * 2 ** 32 + 1]],
        pc: '1',
        delayed: [
          ['4', (NOW + 10) * 4096],
          ['3', (NOW + 50) * 4096],
        ],
        marker: [
          ['0', 0],
          ['1', NOW + 10],
        ],
        id: '6',
        meta: META,
        1: jobHash(hash),
        2: jobHash({ ...hash, priority: 7 }),
        3: jobHash({ ...hash, timestamp: NOW - 50, delay: 100, priority: 2 }),
        4: jobHash({ ...hash, delay: 10 }),
        mine: jobHash(hash),
        old: jobHash({ name: 'old' }),
      });
      expect(events).toHaveLength(11);
    });

    it('takes one id for two items of a batch that carry it', async () => {
      const queue = used.queue();
      const twice = [
        { ...JOB, customId: 'a', data: '"first"' },
        { ...JOB, customId: 'a', data: '"second"' },
      ];
      const added = await addJobs(used.store, queue.keys, twice, { now: NOW });
      expect(added.map(({ outcome }) => outcome)).toEqual(['created', 'existing']);
      expect(await queue.read()).toMatchObject({ wait: ['a'], a: { data: '"first"' } });
    });

    it('lets an item be the parent of a later batch, never of its own', async () => {
      const queue = used.queue();
      const child = { ...JOB, parent: { key: queue.key('p'), json: '{"id":"p"}' } };
      const batch = [{ ...JOB, customId: 'p' }, child];
      expect(await refusal(queue, () => addJobs(used.store, queue.keys, batch))).toBe(
        'PARENT_JOB_NOT_FOUND',
      );
      await addJobs(used.store, queue.keys, batch.slice(0, 1), { now: NOW });
      await addJobs(used.store, queue.keys, [child], { now: NOW });
      expect((await queue.read())['p:dependencies']).toEqual([queue.key('2')]);
    });

    it('keeps every byte', async () => {
      const queue = used.queue();
      const bytes = Buffer.from([0, 0xff, 0xc3, 0x28]);
      await addJobs(used.store, queue.keys, [{ name: bytes, data: bytes, opts: bytes }], {
        now: NOW,
      });
      const text = bytes.toString('latin1');
      const dump = await queue.read({ encoding: 'latin1' });
      expect(dump['1']).toMatchObject({ name: text, data: text, opts: text });
    });

    it('asks nothing of Redis for no jobs', async () => {
      const queue = used.queue();
      expect(await addJobs(used.store, queue.keys, [])).toEqual([]);
      expect(await queue.read()).toEqual({});
    });

    it('stores 1,000 jobs in one script', async () => {
      const queue = used.queue();
      const added = await addJobs(used.store, queue.keys, new Array(1_000).fill(JOB), { now: NOW });
      const { wait } = await queue.read();
      expect(wait).toEqual(added.map(({ jobId }) => jobId).reverse());
    });
  });

  it('rejects PARENT_JOB_NOT_FOUND, names the item, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ id: 3, jobs: { p: {} } });
    const child = { ...JOB, parent: { key: queue.key('p'), json: '{"id":"p"}' } };
    const orphan = { ...JOB, parent: { key: queue.key('q'), json: '{"id":"q"}' } };
    const call = () => addJobs(used.store, queue.keys, [JOB, child, orphan, JOB]);
    expect(await refusal(queue, call)).toBe('PARENT_JOB_NOT_FOUND');
    await expect(call()).rejects.toMatchObject({ index: 2 });
  });

  it('rejects PARENT_JOB_CANNOT_BE_REPLACED in the same way', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['c'], jobs: { c: { parentKey: queue.key('q') }, p: {}, q: {} } });
    const parent = { key: queue.key('p'), json: '{"id":"p"}' };
    const call = () => addJobs(used.store, queue.keys, [JOB, { ...JOB, customId: 'c', parent }]);
    expect(await refusal(queue, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
    await expect(call()).rejects.toMatchObject({ index: 1 });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ active: ['other'], meta: { ...META, ...meta } });
      await addJobs(used.store, queue.keys, [JOB, { ...JOB, priority: 1 }], { now: NOW });
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces each job as if it had come alone', async () => {
    const queue = used.queue();
    await addJobs(used.store, queue.keys, [JOB, { ...JOB, delay: 5 }, { ...JOB, customId: '1' }], {
      now: NOW,
    });
    expect(eventLines(await queue.read())).toEqual([
      'event=added jobId=1 name=send',
      'event=waiting jobId=1',
      'event=added jobId=2 name=send',
      `event=delayed jobId=2 delay=${NOW + 5}`,
      'event=duplicated jobId=1',
    ]);
  });

  itKeepsReceipts(used, {
    seed: { id: 6, meta: META },
    call: (queue, receipt) => {
      const jobs = [JOB, { ...JOB, customId: 'c', delay: 5 }];
      return addJobs(used.store, queue.keys, jobs, { receipt, now: NOW });
    },
    answer: '["7",["c","created","delayed",""]]',
    again: (first) => (first as unknown[]).map(addedBefore),
  });
});
