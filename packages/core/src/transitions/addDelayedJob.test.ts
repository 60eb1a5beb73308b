import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { itKeepsLimits } from '../../test/limits.js';
import { addedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, useStore } from '../../test/use-store.js';
import type { NewJob } from '../new-job.js';
import { addDelayedJob } from './addDelayedJob.js';

const used = useStore();
const JOB: NewJob = { name: 'send', data: '1', opts: '{}', timestamp: NOW, delay: 1_500 };
const DUE = NOW + 1_500;

describe('addDelayedJob', () => {
  itKeepsLimits(used, (queue) => addDelayedJob(used.store, queue.keys, JOB));

  describe('moves', () => {
    it('stores the job and scores it by its due time', async () => {
      const queue = used.queue();

      const added = await addDelayedJob(used.store, queue.keys, { ...JOB, priority: 3 });

      expect(added).toEqual({ jobId: '1', outcome: 'created', state: 'delayed' });
      expect(await queue.read()).toEqual({
        delayed: [['1', DUE * 4096]],
        id: '1',
        1: jobHash({ name: 'send', data: '1', timestamp: NOW, delay: 1_500, priority: 3 }),
        meta: META,
        marker: [['1', DUE]],
        events: [
          { event: 'added', jobId: '1', name: 'send' },
          { event: 'delayed', jobId: '1', delay: `${DUE}` },
        ],
      });
    });

    it('keeps jobs of one millisecond in the order in which they came', async () => {
      const queue = used.queue();
      for (const delay of [1_500, 1_501, 1_500, 1_500]) {
        await addDelayedJob(used.store, queue.keys, { ...JOB, delay });
      }
      expect((await queue.read()).delayed).toEqual([
        ['1', DUE * 4096],
        ['3', DUE * 4096 + 1],
        ['4', DUE * 4096 + 2],
        ['2', (DUE + 1) * 4096],
      ]);
    });

    it('shares the last score of a millisecond from the 4096th job on', async () => {
      const queue = used.queue();
      await queue.seed({ delayed: { x: DUE * 4096 + 4094, y: (DUE + 1) * 4096 } });
      for (let i = 0; i < 3; i++) await addDelayedJob(used.store, queue.keys, JOB);
      const last = DUE * 4096 + 4095;
      expect((await queue.read()).delayed).toEqual([
        ['x', last - 1],
        ['1', last],
        ['2', last],
        ['3', last],
        ['y', last + 1],
      ]);
    });

    it('takes an instant instead of a delay', async () => {
      const queue = used.queue();
      const { delay: _, ...job } = JOB;
      await addDelayedJob(used.store, queue.keys, { ...job, dueAt: NOW + 9_000 });
      await addDelayedJob(used.store, queue.keys, { ...job, dueAt: NOW - 9_000 });
      expect(await queue.read()).toMatchObject({
        delayed: [
          ['2', (NOW + 1) * 4096],
          ['1', (NOW + 9_000) * 4096],
        ],
        1: { delay: '9000' },
        2: { delay: '1' },
      });
    });

    it('leaves an existing job as it is', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META, jobs: { a: {} }, delayed: { a: 4096 } });
      const added = await addDelayedJob(used.store, queue.keys, { ...JOB, customId: 'a' });
      expect(added).toMatchObject({ jobId: 'a', outcome: 'existing' });
      expect(await queue.read()).toEqual({
        meta: META,
        a: jobHash({}),
        delayed: [['a', 4096]],
        id: '1',
        events: [{ event: 'duplicated', jobId: 'a' }],
      });
    });

    it('makes a child one that its parent waits for', async () => {
      const queue = used.queue();
      await queue.seed({ jobs: { p: {} } });
      const parent = { key: queue.key('p'), json: '{"id":"p"}' };
      await addDelayedJob(used.store, queue.keys, { ...JOB, parent });
      expect(await queue.read()).toMatchObject({
        1: { parentKey: queue.key('p'), parent: '{"id":"p"}' },
        'p:dependencies': [queue.key('1')],
      });
    });
  });

  it('rejects PARENT_JOB_NOT_FOUND, and writes nothing', async () => {
    const queue = used.queue();
    const parent = { key: queue.key('p'), json: '{}' };
    const call = () => addDelayedJob(used.store, queue.keys, { ...JOB, parent });
    expect(await refusal(queue, call)).toBe('PARENT_JOB_NOT_FOUND');
  });

  it('rejects PARENT_JOB_CANNOT_BE_REPLACED while the other parent lives, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['c'], jobs: { c: { parentKey: queue.key('q') }, p: {}, q: {} } });
    const parent = { key: queue.key('p'), json: '{"id":"p"}' };
    const call = () => addDelayedJob(used.store, queue.keys, { ...JOB, customId: 'c', parent });
    expect(await refusal(queue, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
  });

  describe('wakes', () => {
    it.each([{}, { paused: 1 }, { concurrency: 0 }])(
      'with the next due time, also behind a closed gate: %j',
      async (gate) => {
        const queue = used.queue();
        await queue.seed({ meta: { ...META, ...gate } });
        await addDelayedJob(used.store, queue.keys, JOB);
        expect((await queue.read()).marker).toEqual([['1', DUE]]);
      },
    );

    it('with the earliest of all due times, fraction and all', async () => {
      const queue = used.queue();
      await queue.seed({ delayed: { x: NOW * 4096 + 2048 }, marker: { 0: 0 } });
      await addDelayedJob(used.store, queue.keys, JOB);
      expect((await queue.read()).marker).toEqual([
        ['0', 0],
        ['1', NOW + 0.5],
      ]);
    });
  });

  it('announces added, then delayed with the instant, with their fields in order', async () => {
    const queue = used.queue();
    await addDelayedJob(used.store, queue.keys, JOB);
    expect(eventLines(await queue.read())).toEqual([
      'event=added jobId=1 name=send',
      `event=delayed jobId=1 delay=${DUE}`,
    ]);
  });

  itKeepsReceipts(used, {
    seed: { id: 6 },
    call: (queue, receipt) => addDelayedJob(used.store, queue.keys, { ...JOB, receipt }),
    answer: '["7","created","delayed",""]',
    again: addedBefore,
  });
});
