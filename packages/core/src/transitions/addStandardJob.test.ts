import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { itKeepsLimits } from '../../test/limits.js';
import { addedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, useStore } from '../../test/use-store.js';
import type { NewJob } from '../new-job.js';
import { addStandardJob } from './addStandardJob.js';

const used = useStore();
const JOB: NewJob = { name: 'send', data: '{"to":"x"}', opts: '{"attempts":3}', timestamp: NOW };
const HASH = jobHash({ name: 'send', data: '{"to":"x"}', opts: '{"attempts":3}', timestamp: NOW });
const PARENT = { id: 'p', queueKey: 'bull:parents' };

describe('addStandardJob', () => {
  itKeepsLimits(used, (queue) => addStandardJob(used.store, queue.keys, JOB));

  describe('moves', () => {
    it('stores the job under the next number and puts it at the head of wait', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['6'], id: 6 });

      const added = await addStandardJob(used.store, queue.keys, JOB);

      expect(added).toEqual({ jobId: '7', outcome: 'created', state: 'waiting' });
      expect(await queue.read()).toEqual({
        wait: ['7', '6'],
        id: '7',
        7: HASH,
        meta: META,
        marker: [['0', 0]],
        events: [
          { event: 'added', jobId: '7', name: 'send' },
          { event: 'waiting', jobId: '7' },
        ],
      });
    });

    it('puts a LIFO job where it runs next', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['6'] });
      await addStandardJob(used.store, queue.keys, { ...JOB, lifo: true });
      expect(await queue.read()).toMatchObject({ wait: ['6', '1'] });
    });

    it('takes an id of the producer, and counts all the same', async () => {
      const queue = used.queue();
      const added = await addStandardJob(used.store, queue.keys, { ...JOB, customId: 'a:b c' });
      expect(added).toEqual({ jobId: 'a:b c', outcome: 'created', state: 'waiting' });
      expect(await queue.read()).toMatchObject({ wait: ['a:b c'], 'a:b c': HASH, id: '1' });
    });

    it('leaves an existing job as it is', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['a'], meta: META, jobs: { a: { name: 'old' } } });

      const added = await addStandardJob(used.store, queue.keys, { ...JOB, customId: 'a' });

      expect(added).toMatchObject({ jobId: 'a', outcome: 'existing' });
      expect(await queue.read()).toEqual({
        wait: ['a'],
        a: jobHash({ name: 'old' }),
        id: '1',
        meta: META,
        events: [{ event: 'duplicated', jobId: 'a' }],
      });
    });

    it('passes over numbers under which somebody has stored jobs', async () => {
      const queue = used.queue();
      await queue.seed({ jobs: { 1: { name: 'raw' }, 2: { name: 'raw' }, 4: { name: 'raw' } } });
      const ids = [];
      for (let i = 0; i < 2; i++)
        ids.push((await addStandardJob(used.store, queue.keys, JOB)).jobId);
      expect(ids).toEqual(['3', '5']);
      expect(await queue.read()).toMatchObject({ 1: { name: 'raw' }, 2: { name: 'raw' }, id: '5' });
    });

    it('writes numbers above 2^53 / 1000 in full', async () => {
      const queue = used.queue();
      await queue.seed({ id: 123_456_789_012_344 });
      const { jobId } = await addStandardJob(used.store, queue.keys, JOB);
      expect(jobId).toBe('123456789012345');
      expect(await queue.read()).toMatchObject({ wait: [jobId], [jobId]: HASH });
    });

    it('keeps every byte of name, data and options', async () => {
      const queue = used.queue();
      const bytes = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x25, 0xc3, 0x28]);
      await addStandardJob(used.store, queue.keys, {
        ...JOB,
        name: bytes,
        data: bytes,
        opts: bytes,
      });
      const dump = await queue.read({ encoding: 'latin1' });
      const text = bytes.toString('latin1');
      expect(dump['1']).toMatchObject({ name: text, data: text, opts: text });
    });

    it('asks Redis for the time when none is given', async () => {
      const queue = used.queue();
      const { timestamp: _, ...timeless } = JOB;
      const before = await used.redis.client.time();
      await addStandardJob(used.store, queue.keys, timeless);
      const after = await used.redis.client.time();
      const { timestamp } = (await queue.read())['1'] as Record<string, string>;
      expect(timestamp).toMatch(/^\d{13}$/);
      expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(Number(before[0]) * 1000));
      expect(Number(timestamp)).toBeLessThanOrEqual(Number(after[0]) * 1000 + 1000);
    });

    it('makes a child one that its parent waits for', async () => {
      const [queue, parents] = [used.queue(), used.queue()];
      await parents.seed({ jobs: { p: {} }, 'waiting-children': { p: NOW } });
      const parent = { key: parents.key('p'), json: JSON.stringify(PARENT) };

      await addStandardJob(used.store, queue.keys, { ...JOB, parent });

      expect(await queue.read()).toMatchObject({
        1: { ...HASH, parentKey: parents.key('p'), parent: JSON.stringify(PARENT) },
      });
      expect(await parents.read()).toEqual({
        p: jobHash({}),
        'waiting-children': [['p', NOW]],
        'p:dependencies': [queue.key('1')],
      });
    });
  });

  it('rejects PARENT_JOB_NOT_FOUND, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: {} }, id: 1 });
    const parent = { key: queue.key('p'), json: JSON.stringify(PARENT) };
    const call = () => addStandardJob(used.store, queue.keys, { ...JOB, parent });
    expect(await refusal(queue, call)).toBe('PARENT_JOB_NOT_FOUND');
  });

  it('rejects PARENT_JOB_CANNOT_BE_REPLACED while the other parent lives, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['c'], jobs: { c: { parentKey: queue.key('q') }, p: {}, q: {} } });
    const parent = { key: queue.key('p'), json: '{"id":"p"}' };
    const call = () => addStandardJob(used.store, queue.keys, { ...JOB, customId: 'c', parent });
    expect(await refusal(queue, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ active: ['other'], meta: { ...META, ...meta } });
      await addStandardJob(used.store, queue.keys, JOB);
      const { marker, wait } = await queue.read();
      expect({ marker, wait }).toEqual({ wait: ['1'], ...baseMarker(open) });
    });

    it('nobody for a duplicate', async () => {
      const queue = used.queue();
      await queue.seed({ jobs: { a: {} } });
      await addStandardJob(used.store, queue.keys, { ...JOB, customId: 'a' });
      expect(await queue.read()).not.toHaveProperty('marker');
    });
  });

  describe('announces', () => {
    it('added, then waiting, with their fields in order', async () => {
      const queue = used.queue();
      await addStandardJob(used.store, queue.keys, JOB);
      expect(eventLines(await queue.read())).toEqual([
        'event=added jobId=1 name=send',
        'event=waiting jobId=1',
      ]);
    });

    it('in a stream that it trims to the limit of the queue', async () => {
      const queue = used.queue();
      await queue.seed({ meta: { 'opts.maxLenEvents': 10 } });
      for (let i = 0; i < 300; i++) await addStandardJob(used.store, queue.keys, JOB);
      // Redis trims by whole nodes of 100 entries.
      expect(eventLines(await queue.read()).length).toBeLessThanOrEqual(201);
    });
  });

  itKeepsReceipts(used, {
    seed: { id: 6 },
    call: (queue, receipt) => addStandardJob(used.store, queue.keys, { ...JOB, receipt }),
    answer: '"7"',
    again: addedBefore,
  });
});
