import { QueueKeys, type StoredJob } from '@echomq/core';
import {
  DeliveredJob,
  Job,
  JobOptions,
  JobState,
  JobView,
  msToDuration,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { CorruptJob } from '../../src/messages/corrupt-job.js';
import { deliveredJob } from '../../src/messages/delivered-job.js';
import { adminJob } from '../../src/messages/job.js';
import { deliveredSize, fitted, jobSize, withoutData } from '../../src/messages/sizes.js';
import type { NamedQueue } from '../../src/queue-names.js';

const queue: NamedQueue = { name: 'orders', keys: new QueueKeys('bull', 'orders') };
const lease = { token: 'secret', lockMs: 30_000 };

const stored: StoredJob = {
  id: '7',
  name: 'send',
  data: Buffer.from([0xff, 0x00, 0x7b]),
  opts: Buffer.from('{"attempts":3,"headers":{"a":"b"}}'),
  timestamp: 1_700_000_000_000,
  delay: 0,
  priority: 4,
  attemptsMade: 1,
  attemptsStarted: 3,
  stalledCount: 1,
  parentKey: 'bull:up:a:b:c',
  parent: Buffer.from('{"id":"a:b:c","queueKey":"bull:up","fpof":true}'),
  schedulerId: 's',
  deduplicationId: 'd',
  processedOn: 1_700_000_000_001,
  finishedOn: 1_700_000_000_002,
  processedBy: 'worker-1',
  progress: Buffer.from('50'),
  returnValue: Buffer.from('{"ok":true}'),
  failedReason: 'first: no luck',
  stackTrace: Buffer.from('["one","two"]'),
};
const plain: StoredJob = {
  id: '8',
  name: 'send',
  data: Buffer.from('{}'),
  opts: Buffer.from('{}'),
  timestamp: 5,
  delay: 0,
  priority: 0,
  attemptsMade: 0,
  attemptsStarted: 1,
  stalledCount: 0,
};

describe('deliveredJob', () => {
  it('passes everything on, bytes untouched', () => {
    const job = deliveredJob(queue, stored, lease);
    const options = JobOptions.fromPartial({ attempts: 3, headers: { a: 'b' } });
    expect(job).toEqual({
      lease: { queue: 'orders', jobId: '7', leaseToken: 'secret' },
      name: 'send',
      data: stored.data,
      dataOmitted: false,
      dataSize: 3,
      options,
      attempt: 2,
      attemptsStarted: 3,
      stalledCount: 1,
      createdAt: new Date(1_700_000_000_000),
      priority: 4,
      lockTtl: msToDuration(30_000),
      parent: { queue: 'up', jobId: 'a:b:c' },
      schedulerId: 's',
      headers: { a: 'b' },
      lastProgress: stored.progress,
      deduplicationId: 'd',
    });
    expect(job.data).toBe(stored.data);
    expect(DeliveredJob.decode(DeliveredJob.encode(job).finish())).toEqual(job);
  });

  it('counts the first attempt as 1, and has nothing where nothing is', () => {
    expect(deliveredJob(queue, plain, lease)).toMatchObject({
      attempt: 1,
      parent: undefined,
      schedulerId: '',
      lastProgress: Buffer.alloc(0),
    });
  });

  it.each(['{broken', '[]', 'null', ''])('calls options of %j corrupt', (opts) => {
    const bad = { ...plain, opts: Buffer.from(opts) };
    expect(() => deliveredJob(queue, bad, lease)).toThrow(CorruptJob);
    expect(() => deliveredJob(queue, bad, lease)).toThrow('options are not a JSON object');
  });

  it.each([
    [1.5, 1, 2],
    [-3, 0, 0],
    [1e300, 0xffff_ffff, 0xffff_ffff],
  ])('brings counters of %d into what a message can say', (odd, count, attempt) => {
    const bad = { ...stored, attemptsMade: odd, attemptsStarted: odd, stalledCount: odd };
    const times = { timestamp: odd * 1e20, delay: odd, priority: odd, processedOn: odd * 1e20 };
    const job = deliveredJob(queue, { ...bad, ...times }, lease);
    expect(job).toMatchObject({ attempt, attemptsStarted: count, stalledCount: count });
    expect(DeliveredJob.decode(DeliveredJob.encode(job).finish())).toEqual(job);
    const shown = adminJob(queue, { ...bad, ...times }, { state: 'failed', view: JobView.FULL });
    expect(shown).toMatchObject({ attemptsMade: count, priority: count });
    expect(Job.decode(Job.encode(shown).finish())).toEqual(shown);
  });

  it('names a parent in a cluster as clients name it', () => {
    const tagged: NamedQueue = { name: 'orders', keys: new QueueKeys('bull', '{orders}') };
    const child = { ...plain, parentKey: 'bull:{up}:9' };
    expect(deliveredJob(tagged, child, lease).parent).toEqual({ queue: 'up', jobId: '9' });
    const broken = { ...child, parent: Buffer.from('{') };
    expect(deliveredJob(queue, broken, lease).parent).toEqual({ queue: '{up}', jobId: '9' });
  });
});

describe('sizes', () => {
  it('are never under the size of the encoded message', () => {
    const extraOptsJson = Buffer.from(`{"x":"${'y'.repeat(5_000)}"}`);
    const opts = Buffer.concat([Buffer.from('{"headers":{"h":"'), Buffer.alloc(3_000, 'h')]);
    const large = {
      ...stored,
      opts: Buffer.concat([opts, Buffer.from('"},'), extraOptsJson.subarray(1)]),
    };
    for (const job of [stored, plain, large]) {
      const delivered = deliveredJob(queue, job, lease);
      expect(deliveredSize(delivered)).toBeGreaterThanOrEqual(
        DeliveredJob.encode(delivered).finish().length,
      );
      const shown = adminJob(queue, job, { state: 'active', view: JobView.FULL });
      expect(jobSize(shown)).toBeGreaterThanOrEqual(Job.encode(shown).finish().length);
    }
  });

  it('leave out the payload and tell its size', () => {
    const job = withoutData(deliveredJob(queue, stored, lease));
    expect([job.data.length, job.dataOmitted, job.dataSize]).toEqual([0, true, 3]);
  });

  it('cut a job to a budget: payload first, then all bodies, then texts', () => {
    const big = {
      ...stored,
      data: Buffer.alloc(5_000, 0x31),
      returnValue: Buffer.alloc(3_000, 0x32),
    };
    const job = adminJob(queue, big, { state: 'completed', view: JobView.FULL });
    expect(fitted(job, 10_000)).toBe(job);
    expect(fitted(job, 6_000)).toEqual({ ...job, data: Buffer.alloc(0), dataOmitted: true });
    expect(fitted(job, 1_000)).toMatchObject({
      dataOmitted: true,
      dataSize: 5_000,
      returnValue: Buffer.alloc(0),
      stackTrace: [],
    });
    const endless = { ...stored, name: 'n'.repeat(5_000), failedReason: 'f'.repeat(5_000) };
    const shown = fitted(adminJob(queue, endless, { state: 'failed', view: JobView.FULL }), 4_000);
    expect(shown).toMatchObject({ jobId: '7', options: undefined, headers: {} });
    expect(Job.encode(shown).finish().length).toBeLessThan(4_000);
  });
});

describe('adminJob', () => {
  it('shows all in view FULL', () => {
    const job = adminJob(queue, stored, { state: 'waiting-children', view: JobView.FULL });
    expect(job).toEqual({
      queue: 'orders',
      jobId: '7',
      name: 'send',
      state: JobState.WAITING_CHILDREN,
      data: stored.data,
      dataOmitted: false,
      dataSize: 3,
      options: JobOptions.fromPartial({ attempts: 3, headers: { a: 'b' } }),
      attemptsMade: 1,
      attemptsStarted: 3,
      stalledCount: 1,
      createdAt: new Date(1_700_000_000_000),
      processedAt: new Date(1_700_000_000_001),
      finishedAt: new Date(1_700_000_000_002),
      delay: msToDuration(0),
      priority: 4,
      parent: { queue: 'up', jobId: 'a:b:c' },
      schedulerId: 's',
      deduplicationId: 'd',
      headers: { a: 'b' },
      returnValue: stored.returnValue,
      failedReason: 'first: no luck',
      stackTrace: ['one', 'two'],
      progress: stored.progress,
      processedBy: 'worker-1',
    });
    expect(Job.decode(Job.encode(job).finish())).toEqual(job);
  });

  it('shows no bodies in view BASIC, and the size of the payload', () => {
    const job = adminJob(queue, stored, { state: 'failed', view: JobView.BASIC, dataSize: 99 });
    const none = Buffer.alloc(0);
    expect(job).toMatchObject({ data: none, returnValue: none, progress: none, stackTrace: [] });
    expect([job.dataOmitted, job.dataSize, job.failedReason]).toEqual([true, 99, 'first: no luck']);
  });

  it('shows a job that is corrupt', () => {
    const bad = {
      ...stored,
      opts: Buffer.from('{broken'),
      stackTrace: Buffer.from('not an array'),
    };
    const job = adminJob(queue, bad, { state: 'failed', view: JobView.FULL });
    expect([job.options, job.headers, job.stackTrace]).toEqual([undefined, {}, ['not an array']]);
  });
});
