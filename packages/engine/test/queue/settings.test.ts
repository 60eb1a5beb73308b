import { setTimeout as sleep } from 'node:timers/promises';
import {
  AddFlowRequest,
  AddJobRequest,
  AddJobsRequest,
  AddMode,
  GetMetricsRequest,
  type GetRateLimitResponse,
  MetricsKind,
  msToDuration,
} from '@echomq/proto/messages';
import { type FreshQueue, withLimit } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { complete, fetchOf, finishOf, useEngine, waiting } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';

const used = useEngine();
const service = () => used.engine.services.queue;
const wait = { seconds: 15, nanos: 0 };

const setLimit = (queue: FreshQueue, max: number, ms: number) =>
  service().setRateLimit(
    frozen({ queue: queue.name, rateLimit: { max, duration: msToDuration(ms) } }),
    patient,
  );
const getLimit = (queue: FreshQueue): Promise<GetRateLimitResponse> =>
  service().getRateLimit({ queue: queue.name }, patient);
const setConcurrency = (queue: FreshQueue, max?: number) =>
  service().setConcurrency(
    frozen({ queue: queue.name, ...(max === undefined ? {} : { max }) }),
    patient,
  );
const take = async (queue: FreshQueue) =>
  (await used.engine.services.worker.fetchJobs(fetchOf(queue, { wait }), patient)).jobs[0];

/** Whether a call still waits a while later. */
async function isPending(call: Promise<unknown>): Promise<boolean> {
  const late = sleep(200, 'pending');
  return (await Promise.race([call, late])) === 'pending';
}

describe('SetRateLimit, GetRateLimit, ClearRateLimit', () => {
  it('set and tell the limit of a queue, known or not', async () => {
    const queue = used.queue();
    expect(await getLimit(queue)).toEqual({ rateLimit: undefined, ttl: undefined });
    expect(await queue.read()).toEqual({});
    expect(await setLimit(queue, 3, 60_000)).toEqual({});
    expect(await queue.read()).toEqual({ meta: { max: '3', duration: '60000' } });
    const rateLimit = { max: 3, duration: msToDuration(60_000) };
    expect(await getLimit(queue)).toEqual({ rateLimit, ttl: undefined });
  });

  it('tell for how long a queue is held', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { max: 2, duration: 60_000 }, limiter: 1, ttls: { limiter: 50_000 } });
    expect((await getLimit(queue)).ttl).toBeUndefined();
    await queue.seed({ limiter: 2, ttls: { limiter: 50_000 } });
    expect((await getLimit(queue)).ttl?.seconds).toBeGreaterThan(40);
    const byHand = used.queue();
    await byHand.seed({ limiter: Number.MAX_SAFE_INTEGER, ttls: { limiter: 50_000 } });
    expect(await getLimit(byHand)).toMatchObject({
      rateLimit: undefined,
      ttl: { nanos: expect.any(Number) },
    });
  });

  it('hold jobs back, and let them go at once when cleared', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    await setLimit(queue, 1, 60_000);
    await take(queue);
    const second = take(queue);
    expect(await isPending(second)).toBe(true);
    expect((await getLimit(queue)).ttl?.seconds).toBeGreaterThan(40);
    expect(
      await service().clearRateLimit({ queue: queue.name, keepLimit: false }, patient),
    ).toEqual({});
    expect((await withLimit(second, 'the fetch'))?.lease?.jobId).toBe('2');
    const { meta, limiter } = await queue.read();
    expect([meta, limiter]).toEqual([undefined, undefined]);
  });

  it.each<
    [
      string,
      { max: number; duration: { seconds: number; nanos: number } | undefined } | undefined,
      string,
    ]
  >([
    ['no limit', undefined, 'rate_limit'],
    ['no jobs', { max: 0, duration: msToDuration(1) }, 'rate_limit.max'],
    ['no span', { max: 1, duration: undefined }, 'rate_limit.duration'],
    ['an empty span', { max: 1, duration: msToDuration(0) }, 'rate_limit.duration'],
  ])('refuse %s', async (_, rateLimit, field) => {
    const queue = used.queue();
    const call = service().setRateLimit({ queue: queue.name, rateLimit }, patient);
    expect((await refused(call)).metadata.field).toBe(field);
    expect(await queue.read()).toEqual({});
  });
});

describe('SetConcurrency', () => {
  it('bounds what is active, and wakes who waits when it is raised or removed', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    await setConcurrency(queue, 1);
    await take(queue);
    const second = take(queue);
    const third = take(queue);
    expect(await isPending(second)).toBe(true);
    await setConcurrency(queue, 2);
    expect((await withLimit(second, 'the fetch'))?.lease?.jobId).toBe('2');
    await setConcurrency(queue);
    expect((await withLimit(third, 'the fetch'))?.lease?.jobId).toBe('3');
    expect((await queue.read()).meta).toBeUndefined();
  });

  it('keeps the turns of those who wait when a look finds no slot', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    await setConcurrency(queue, 1);
    await take(queue);
    const second = take(queue);
    const third = take(queue);
    expect(await isPending(second)).toBe(true);
    for (let looks = 0; looks < 3; looks++) {
      await setConcurrency(queue, 1);
      expect(await isPending(second)).toBe(true);
    }
    await setConcurrency(queue, 2);
    expect((await withLimit(second, 'the fetch'))?.lease?.jobId).toBe('2');
    await setConcurrency(queue);
    expect((await withLimit(third, 'the fetch'))?.lease?.jobId).toBe('3');
  });

  it('gives a slot that becomes free to who waits, at once', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    await setConcurrency(queue, 1);
    const first = await take(queue);
    const second = take(queue);
    expect(await isPending(second)).toBe(true);
    await used.engine.services.worker.finishJob(finishOf(first, complete()), patient);
    expect((await withLimit(second, 'the fetch'))?.lease?.jobId).toBe('2');
  });

  it('sets no marker where nothing waits, and refuses 0', async () => {
    const queue = used.queue();
    await setConcurrency(queue, 4);
    expect(await queue.read()).toEqual({ meta: { concurrency: '4' } });
    expect((await refused(setConcurrency(queue, 0))).metadata.field).toBe('max');
  });
});

describe('SetQueueLimits', () => {
  it('sets all bounds, so that an absent one is removed', async () => {
    const queue = used.queue();
    const set = (limits: object | undefined) =>
      service().setQueueLimits(frozen({ queue: queue.name, limits }) as never, patient);
    await set({ maxPayloadBytes: 100, maxJobs: 10, maxEvents: 50 });
    expect(await queue.read()).toEqual({
      meta: { 'echomq.maxPayload': '100', 'echomq.maxJobs': '10', 'opts.maxLenEvents': '50' },
    });
    const info = async () => (await service().getQueue({ queue: queue.name }, patient)).queue;
    expect((await info())?.limits).toEqual({ maxPayloadBytes: 100, maxJobs: 10, maxEvents: 50 });
    await set({ maxEvents: 70 });
    expect((await info())?.limits).toEqual({ maxEvents: 70 });
    await set(undefined);
    expect(await queue.read()).toEqual({});
    expect((await refused(set({ maxJobs: -1 }))).metadata.field).toBe('limits.max_jobs');
  });

  it('bounds what is added, as the request names it', async () => {
    const { producer } = used.engine.services;
    const queue = used.queue();
    const bound = (limits: object) =>
      service().setQueueLimits(frozen({ queue: queue.name, limits }) as never, patient);
    const job = { queue: queue.name, name: 'n', data: Buffer.from('"12345"') };
    const single = AddJobRequest.fromPartial(job);
    const bulk = (mode: AddMode) =>
      AddJobsRequest.fromPartial({
        queue: queue.name,
        items: [{ ...job, data: Buffer.from('1') }, job],
        mode,
      });
    const flow = AddFlowRequest.fromPartial({
      root: { ...job, data: Buffer.from('1'), children: [job] },
    });
    await bound({ maxPayloadBytes: 6 });
    for (const [field, call] of [
      ['data', () => producer.addJob(single, patient)],
      ['items[1].data', () => producer.addJobs(bulk(AddMode.ATOMIC), patient)],
      ['root.children[0].data', () => producer.addFlow(flow, patient)],
    ] as const) {
      expect(await refused(call())).toMatchObject({
        ...{ code: 'INVALID_ARGUMENT', reason: 'PAYLOAD_TOO_LARGE' },
        metadata: { field, limitBytes: '6', actualBytes: '7' },
      });
    }
    await bound({ maxJobs: 1 });
    for (const call of [
      () => producer.addJobs(bulk(AddMode.ATOMIC), patient),
      () => producer.addFlow(flow, patient),
    ]) {
      expect(await refused(call())).toMatchObject({
        ...{ code: 'RESOURCE_EXHAUSTED', reason: 'QUEUE_FULL' },
        metadata: { queue: queue.name, limit: '1', depth: '0' },
      });
    }
    const { results } = await producer.addJobs(bulk(AddMode.PER_ITEM), patient);
    expect(results.map(({ result }) => result?.$case)).toEqual(['added', 'error']);
    expect((await refused(producer.addJob(single, patient))).reason).toBe('QUEUE_FULL');
  });
});

describe('GetMetrics', () => {
  const metrics = (part: Parameters<typeof GetMetricsRequest.fromPartial>[0]) =>
    service().getMetrics(frozen(GetMetricsRequest.fromPartial(part)), patient);

  it('tells what was counted, newest first', async () => {
    const queue = used.queue();
    const prevTS = Date.UTC(2026, 0, 1, 12, 30, 20);
    await queue.seed({
      'metrics:completed': { count: 9, prevTS, prevCount: 7 },
      'metrics:completed:data': ['2', 'x', '5', '0'],
      'metrics:failed': { count: 1, prevTS, prevCount: 0 },
    });
    expect(await metrics({ queue: queue.name })).toEqual({
      points: [2, 0, 5, 0],
      total: 9,
      newestAt: new Date(Date.UTC(2026, 0, 1, 12, 29)),
      kept: 4,
      open: 2,
      openAt: new Date(Date.UTC(2026, 0, 1, 12, 30)),
    });
    const part = { queue: queue.name, start: 1, end: 2 };
    expect((await metrics(part)).points).toEqual([0, 5]);
    const failed = await metrics({ queue: queue.name, kind: MetricsKind.FAILED });
    expect(failed).toEqual({
      ...{ points: [], total: 1, newestAt: undefined, kept: 0 },
      ...{ open: 1, openAt: new Date(Date.UTC(2026, 0, 1, 12, 30)) },
    });
  });

  it('counts with the engine, and has nothing for an unknown queue', async () => {
    const engine = await used.another({ metrics: { maxDataPoints: 10 } });
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const { worker } = engine.services;
    const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
    await worker.finishJob(finishOf(jobs[0], complete()), patient);
    expect(await metrics({ queue: queue.name })).toMatchObject({ total: 1, open: 1 });
    const none = { newestAt: undefined, openAt: undefined };
    const nothing = { points: [], total: 0, kept: 0, open: 0, ...none };
    expect(await metrics({ queue: 'unknown' })).toEqual(nothing);
    const bad = metrics({ queue: 'unknown', kind: 9 as never });
    expect((await refused(bad)).metadata.field).toBe('kind');
  });
});

describe('TrimEvents', () => {
  it('keeps the newest', async () => {
    const queue = used.queue();
    const events = Array.from({ length: 10 }, (_, i) => ({ event: 'waiting', jobId: String(i) }));
    await queue.seed({ meta: { version: 'x' }, events });
    const trim = (maxEvents: number) =>
      service().trimEvents({ queue: queue.name, maxEvents }, patient);
    expect(await trim(3)).toEqual({ removed: 7 });
    expect((await queue.read()).events).toEqual(events.slice(7));
    expect(await trim(3)).toEqual({ removed: 0 });
    const unknown = service().trimEvents({ queue: 'unknown', maxEvents: 1 }, patient);
    expect((await refused(unknown)).reason).toBe('QUEUE_NOT_FOUND');
  });
});

describe('RemoveDeduplicationKey', () => {
  it('frees an id, of a queue that there is', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { deid: 'a:b' } }, 'de:a:b': '1' });
    const remove = (name: string, deduplicationId: string) =>
      service().removeDeduplicationKey({ queue: name, deduplicationId }, patient);
    expect(await remove(queue.name, 'a:b')).toEqual({ removed: true });
    expect(await queue.read()).not.toHaveProperty('de:a:b');
    expect((await refused(remove('unknown', 'x'))).reason).toBe('QUEUE_NOT_FOUND');
    for (const id of ['', 'x\ud800', 'x'.repeat(1_025)]) {
      expect((await refused(remove(queue.name, id))).metadata.field).toBe('deduplication_id');
    }
  });
});
