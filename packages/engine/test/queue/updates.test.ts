import {
  JobState,
  msToDuration,
  ParentFailurePolicy,
  UpdateJobOptionsRequest,
} from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();
const service = () => queueService(used.deps);
const META = { 'opts.maxLenEvents': '10000' };

describe('GetCountsPerPriority', () => {
  const counts = async (queue: FreshQueue, priorities: number[]) =>
    (await service().getCountsPerPriority(frozen({ queue: queue.name, priorities }), patient))
      .counts;

  it('counts in the order of the request', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['a', 'b'], prioritized: { c: 5 * 2 ** 32 + 1, d: 5 * 2 ** 32 + 9 } });
    expect(await counts(queue, [5, 0, 1, 5])).toEqual([
      { priority: 5, count: 2 },
      { priority: 0, count: 2 },
      { priority: 1, count: 0 },
      { priority: 5, count: 2 },
    ]);
    expect(await counts(used.queue(), [])).toEqual([]);
    const many = counts(
      queue,
      Array.from({ length: 1_001 }, () => 0),
    );
    expect((await refused(many)).metadata.field).toBe('priorities');
    expect((await refused(counts(queue, [2_097_152]))).metadata.field).toBe('priorities[0]');
  });
});

describe('UpdateJobPriority', () => {
  const update = (queue: FreshQueue, priority: number, lifo = false) =>
    service().updateJobPriority(frozen({ queue: queue.name, jobId: '7', priority, lifo }), patient);

  it('moves a job that waits, and notes it for one that does not', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, wait: ['7'], jobs: { 7: {} } });
    expect(await update(queue, 3)).toEqual({});
    expect(await queue.read()).toMatchObject({
      prioritized: [['7', 3 * 2 ** 32 + 1]],
      7: { priority: '3' },
    });
    await update(queue, 0, true);
    expect((await queue.read()).wait).toEqual(['7']);
    const delayed = used.queue();
    await delayed.seed({ meta: META, delayed: { 7: 9e15 }, jobs: { 7: {} } });
    await update(delayed, 3);
    expect(await delayed.read()).toMatchObject({ delayed: [['7', 9e15]], 7: { priority: '3' } });
  });

  it('refuses one that has ended, that is missing, and a priority that is none', async () => {
    const queue = used.queue();
    await queue.seed({ failed: { 7: 1 }, jobs: { 7: {} } });
    expect(await refused(update(queue, 3))).toMatchObject({
      reason: 'JOB_NOT_IN_STATE',
      metadata: { actual: 'FAILED', expected: expect.stringContaining('WAITING') },
    });
    expect((await refused(update(used.queue(), 3))).reason).toBe('JOB_NOT_FOUND');
    expect((await refused(update(queue, 2_097_152))).metadata.field).toBe('priority');
  });
});

describe('UpdateJobDelay', () => {
  const update = (queue: FreshQueue, ms: number | undefined) => {
    const delay = ms === undefined ? undefined : msToDuration(ms);
    return service().updateJobDelay(frozen({ queue: queue.name, jobId: '7', delay }), patient);
  };

  it('counts from now', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, delayed: { 7: 9e15 }, jobs: { 7: { delay: 5 } } });
    const before = Date.now();
    expect(await update(queue, 60_000)).toEqual({});
    const [[, score]] = (await queue.read()).delayed as [[string, number]];
    expect(Math.abs(score / 4_096 - before - 60_000)).toBeLessThan(5_000);
  });

  it('refuses a job that is not delayed, a missing one, and no delay', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, wait: ['7'], jobs: { 7: {} } });
    expect(await refused(update(queue, 1))).toMatchObject({
      reason: 'JOB_NOT_IN_STATE',
      metadata: { expected: 'DELAYED', actual: 'WAITING' },
    });
    expect((await refused(update(used.queue(), 1))).reason).toBe('JOB_NOT_FOUND');
    expect((await refused(update(queue, undefined))).metadata.field).toBe('delay');
    expect((await refused(update(queue, -1))).metadata.field).toBe('delay');
  });
});

describe('UpdateJobOptions', () => {
  type Options = NonNullable<Parameters<typeof UpdateJobOptionsRequest.fromPartial>[0]['options']>;
  const update = (queue: FreshQueue, options?: Options) => {
    const part = { queue: queue.name, jobId: '7', ...(options ? { options } : {}) };
    return service().updateJobOptions(frozen(UpdateJobOptionsRequest.fromPartial(part)), patient);
  };
  const optsOf = async (queue: FreshQueue) =>
    ((await queue.read())[7] as Record<string, string>).opts;

  it('replaces what is set and keeps the rest byte for byte', async () => {
    const queue = used.queue();
    const opts =
      '{ "attempts" : 1, "mine": [1.10, {}, null], "backoff":{"type":"fixed","delay":5}}';
    await queue.seed({ meta: META, active: ['7'], jobs: { 7: { opts } } });
    expect(await update(queue, { attempts: 4, keepLogs: 0 })).toEqual({});
    expect(await optsOf(queue)).toBe(
      '{"mine": [1.10, {}, null],"backoff":{"type":"fixed","delay":5},"attempts":4,"kl":0}',
    );
    const extraOptsJson = Buffer.from('{"mine": {"a":  1}, "tm":"x"}');
    await update(queue, { extraOptsJson, headers: { a: 'b' } });
    expect(await optsOf(queue)).toBe(
      '{"backoff":{"type":"fixed","delay":5},"attempts":4,"kl":0,"headers":{"a":"b"},"mine": {"a":  1},"tm":"x"}',
    );
    const before = await queue.read();
    await update(queue, {});
    expect(await queue.read()).toEqual(before);
  });

  it('changes the policy in both places where it stands', async () => {
    const queue = used.queue();
    const parent = '{"id":"p","queueKey":"bull:up","fpof":true}';
    const opts = '{"fpof":true,"attempts":1}';
    await queue.seed({ wait: ['7'], jobs: { 7: { opts, parent } } });
    await update(queue, { parentFailurePolicy: ParentFailurePolicy.IGNORE });
    expect((await queue.read())[7]).toMatchObject({
      opts: '{"attempts":1,"idof":true}',
      parent: '{"id":"p","queueKey":"bull:up","idof":true}',
    });
  });

  it('never makes a removed job again, and loses no change of many at once', async () => {
    const queue = used.queue();
    expect((await refused(update(queue, { attempts: 2 }))).reason).toBe('JOB_NOT_FOUND');
    expect(await queue.read()).toEqual({});
    await queue.seed({ wait: ['7'], jobs: { 7: {} } });
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        update(queue, { extraOptsJson: Buffer.from(`{"x${i}":${i}}`) }),
      ),
    );
    expect(JSON.parse((await optsOf(queue)) ?? '')).toMatchObject({ x0: 0, x5: 5, x9: 9 });
  });

  it('refuses a finished job, and what cannot be changed here', async () => {
    const queue = used.queue();
    await queue.seed({ completed: { 7: 1 }, jobs: { 7: {} } });
    const before = await queue.read();
    expect(await refused(update(queue, { attempts: 2 }))).toMatchObject({
      reason: 'JOB_NOT_IN_STATE',
      metadata: { actual: 'COMPLETED' },
    });
    const bad: [Options, string][] = [
      [{ jobId: 'x' }, 'options.job_id'],
      [{ priority: 0 }, 'options.priority'],
      [{ due: { $case: 'delay', value: msToDuration(1) } }, 'options.due'],
      [{ deduplication: { id: 'x' } }, 'options.deduplication'],
      [{ attempts: -1 }, 'options.attempts'],
      [{ extraOptsJson: Buffer.from('[]') }, 'options.extra_opts_json'],
      [{ extraOptsJson: Buffer.from('{"attempts":1}') }, 'options.extra_opts_json'],
    ];
    for (const [options, field] of bad) {
      expect((await refused(update(queue, options))).metadata.field).toBe(field);
    }
    expect((await refused(update(queue))).metadata.field).toBe('options');
    expect(await queue.read()).toEqual(before);
    expect(JobState.COMPLETED).toBeDefined();
  });
});
