import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import type { Deduplication, NewJob } from '../new-job.js';
import { addDelayedJob } from './addDelayedJob.js';
import { addStandardJob } from './addStandardJob.js';
import { moveToFinished } from './moveToFinished.js';

const used = useStore();
const JOB: NewJob = { name: 'new', data: '2', opts: '{}', timestamp: NOW };
const add = (queue: TestQueue, deduplication: Deduplication, more: Partial<NewJob> = {}) =>
  addStandardJob(used.store, queue.keys, { ...JOB, ...more, deduplication });

describe('addStandardJob deduplicates', () => {
  it('keeps the first: a second add with the id stores nothing', async () => {
    const queue = used.queue();
    expect(await add(queue, { id: 'd' })).toMatchObject({ jobId: '1', outcome: 'created' });
    expect(await add(queue, { id: 'd' })).toMatchObject({
      jobId: '1',
      outcome: 'deduplicated',
      existingJobId: '1',
    });
    expect(await queue.read()).toEqual({
      wait: ['1'],
      id: '2',
      1: jobHash({ name: 'new', data: '2', timestamp: NOW, deid: 'd' }),
      'de:d': '1',
      meta: META,
      marker: [['0', 0]],
      events: [
        { event: 'added', jobId: '1', name: 'new' },
        { event: 'waiting', jobId: '1' },
        { event: 'deduplicated', jobId: '1', deduplicationId: 'd', deduplicatedJobId: '2' },
      ],
    });
    expect(await queue.readTtls()).toEqual({});
  });

  it('for a time, which a further add begins anew only when asked', async () => {
    const queue = used.queue();
    await add(queue, { id: 'd', ttl: 5_000 });
    await add(queue, { id: 'd', ttl: 90_000 });
    expect((await queue.readTtls())['de:d']).toBeLessThanOrEqual(5_000);
    await add(queue, { id: 'd', ttl: 90_000, extend: true });
    expect((await queue.readTtls())['de:d']).toBeGreaterThan(80_000);
    expect((await queue.read()).wait).toEqual(['1']);
  });

  it('replaces a delayed owner', async () => {
    const queue = used.queue();
    await queue.seed({ delayed: { old: 9e15 }, jobs: { old: { deid: 'd' } }, 'de:d': 'old' });
    expect(await add(queue, { id: 'd', replace: true })).toMatchObject({
      jobId: '1',
      outcome: 'replaced',
      existingJobId: 'old',
      state: 'waiting',
    });
    const dump = await queue.read();
    expect(dump).toMatchObject({ wait: ['1'], 'de:d': '1' });
    for (const key of ['old', 'delayed']) expect(dump).not.toHaveProperty(key);
    expect(eventLines(dump).slice(0, 2)).toEqual([
      'event=removed jobId=old prev=delayed',
      'event=deduplicated jobId=1 deduplicationId=d deduplicatedJobId=old',
    ]);
  });

  it('replaces no owner that is not delayed, and says nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['old'], jobs: { old: { deid: 'd' } }, 'de:d': 'old', id: 4 });
    const { id: _, ...before } = await queue.read();
    expect(await add(queue, { id: 'd', replace: true })).toMatchObject({
      jobId: 'old',
      outcome: 'deduplicated',
    });
    const { id: __, ...after } = await queue.read();
    expect(after).toEqual(before);
  });

  it('moves a delayed owner to the due time of the new add, when asked', async () => {
    const queue = used.queue();
    await queue.seed({
      delayed: { old: 9e15 },
      jobs: { old: { delay: 1 } },
      'de:d': 'old',
      meta: META,
    });
    const deduplication = { id: 'd', reschedule: true };
    await addDelayedJob(used.store, queue.keys, { ...JOB, delay: 700, deduplication });
    expect(await queue.read()).toMatchObject({
      delayed: [['old', (NOW + 700) * 4096]],
      old: { delay: '700' },
      marker: [['1', NOW + 700]],
    });
  });

  it('passes over an owner that is gone', async () => {
    const queue = used.queue();
    await queue.seed({ 'de:d': 'gone', 'dn:d': { name: 'kept' } });
    expect(await add(queue, { id: 'd' })).toMatchObject({ jobId: '1', outcome: 'created' });
    expect(await queue.read()).toMatchObject({ 'de:d': '1' });
    expect(await queue.read()).not.toHaveProperty('dn:d');
  });

  it('keeps the last add while the owner runs; the end of that brings it in', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: META,
      active: ['old'],
      jobs: { old: { deid: 'd' } },
      locks: { old: 't' },
      'de:d': 'old',
    });
    const deduplication = { id: 'd', keepLastIfActive: true };
    for (const data of ['"first"', '"last"'])
      expect(await add(queue, deduplication, { data })).toMatchObject({ outcome: 'kept' });
    expect(await queue.read()).toMatchObject({
      'dn:d': { name: 'new', data: '"last"', opts: '{}', jid: '2' },
    });

    const how = { jobId: 'old', target: 'completed' as const, value: '1', fetchNext: false };
    await moveToFinished(used.store, queue.keys, { ...how, options: { token: 't' } }, NOW);

    const dump = await queue.read();
    expect(dump).toMatchObject({
      wait: ['2'],
      2: jobHash({ name: 'new', data: '"last"', timestamp: NOW, deid: 'd' }),
      'de:d': '2',
      completed: [['old', NOW]],
    });
    expect(dump).not.toHaveProperty('dn:d');
  });
});
