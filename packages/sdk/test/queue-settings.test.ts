import { setTimeout } from 'node:timers/promises';
import { collect, eventually, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { InvalidRequest, JobNotFound, Queue } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('a queue', (place) => {
  it('has settings, which an unknown one has not', async () => {
    const queue = place.queue();
    const none = {
      paused: false,
      maxed: false,
      concurrency: undefined,
      rateLimit: undefined,
      limits: {},
      version: undefined,
    };
    expect(await queue.getMeta()).toEqual(none);
    expect(await queue.getVersion()).toBeUndefined();
    await queue.setGlobalConcurrency(5);
    await queue.setGlobalRateLimit(10, 60_000);
    await queue.setLimits({ maxEvents: 100, maxPayloadBytes: 5_000 });
    await queue.pause();
    expect(await queue.getMeta()).toMatchObject({
      paused: true,
      concurrency: 5,
      rateLimit: { max: 10, duration: 60_000 },
      limits: { maxEvents: 100, maxPayloadBytes: 5_000 },
    });
    expect(await queue.getGlobalConcurrency()).toBe(5);
    expect(await queue.getGlobalRateLimit()).toEqual({ max: 10, duration: 60_000 });
    await queue.removeGlobalConcurrency();
    await queue.removeGlobalRateLimit();
    await queue.setLimits({});
    await queue.resume();
    expect(await queue.getMeta()).toEqual(none);
  });

  it('keeps the bounds of a queue that is full, and of data that is too long', async () => {
    const queue = place.queue<unknown>();
    await queue.setLimits({ maxJobs: 2, maxPayloadBytes: 10 });
    await queue.add('a', 1);
    await queue.add('b', 1);
    await expect(queue.add('d', 1)).rejects.toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', reason: 'QUEUE_FULL' },
      metadata: { depth: '2', limit: '2' },
    });
    await queue.setLimits({ maxPayloadBytes: 10 });
    await expect(queue.add('e', 'x'.repeat(9))).rejects.toMatchObject({
      ...{ code: 'INVALID_ARGUMENT', reason: 'PAYLOAD_TOO_LARGE' },
      metadata: { field: 'data', actualBytes: '11', limitBytes: '10' },
    });
    await queue.add('e', 'x'.repeat(8));
  });

  it('bounds how many jobs are at work over all workers', async () => {
    const queue = place.queue();
    await queue.setGlobalConcurrency(2);
    const go = signal('the handlers may end');
    const begun = collect<string>('runs');
    place.worker(
      queue,
      async (job) => {
        begun.push(job.id);
        await go.wait(15_000);
      },
      { concurrency: 10 },
    );
    await queue.addBulk(Array.from({ length: 4 }, () => ({ name: 'x', data: {} })));
    await begun.waitFor(2);
    expect(await queue.getActiveCount()).toBe(2);
    await queue.removeGlobalConcurrency();
    await begun.waitFor(4);
    go.resolve();
  });

  it('is held by its rate limit and let go', async () => {
    const queue = place.queue();
    await queue.setGlobalRateLimit(1, 60_000);
    expect(await queue.getRateLimitTtl()).toBe(0);
    const ran = collect<string>('runs');
    place.worker(queue, (job) => ran.push(job.id));
    await queue.addBulk([1, 2].map(() => ({ name: 'x', data: {} })));
    await ran.waitFor(1);
    await eventually(async () => {
      const ttl = await queue.getRateLimitTtl();
      expect(ttl).toBeGreaterThan(30_000);
      expect(ttl).toBeLessThanOrEqual(60_000);
    });
    expect(ran.items).toHaveLength(1);
    await queue.removeGlobalRateLimit();
    await ran.waitFor(2);
    expect(await queue.getRateLimitTtl()).toBe(0);
  });

  it('counts its jobs', async () => {
    const queue = place.queue();
    await queue.addBulk([
      { name: 'a', data: {} },
      { name: 'b', data: {}, opts: { priority: 3 } },
      { name: 'c', data: {}, opts: { priority: 3 } },
      { name: 'd', data: {}, opts: { delay: 60_000 } },
    ]);
    expect(await queue.count()).toBe(4);
    expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(3);
    expect(await queue.getJobCountByTypes()).toBe(4);
    expect(await queue.getCountsPerPriority([0, 3, 4])).toEqual({ 0: 1, 3: 2, 4: 0 });
    const counts = await Promise.all([
      ...[queue.getWaitingCount(), queue.getPrioritizedCount(), queue.getDelayedCount()],
      ...[queue.getActiveCount(), queue.getWaitingChildrenCount(), queue.getCompletedCount()],
      queue.getFailedCount(),
    ]);
    expect(counts).toEqual([1, 2, 1, 0, 0, 0, 0]);
    await expect(queue.getCountsPerPriority([1, -1])).rejects.toMatchObject({
      field: 'priorities[1]',
    });
  });

  it('lists its jobs by position, as BullMQ does', async () => {
    const queue = place.queue<number>();
    await queue.addBulk(Array.from({ length: 12 }, (_, n) => ({ name: 'x', data: n })));
    const data = async (jobs: Promise<readonly { readonly data: number }[]>) =>
      (await jobs).map((job) => job.data);
    expect(await data(queue.getWaiting())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await data(queue.getWaiting(3, 5))).toEqual([3, 4, 5]);
    expect(await data(queue.getWaiting(10))).toEqual([10, 11]);
    expect(await data(queue.getWaiting(5, 4))).toEqual([]);
    const worker = place.worker(queue, async (job) => {
      // What ends within one ms stands in the order of the ids.
      await setTimeout(2);
      if (job.data > 9) throw new Error('no');
    });
    const ends = collect('ends');
    worker.on('completed', ends.push);
    worker.on('failed', ends.push);
    await ends.waitFor(12, 15_000);
    expect(await data(queue.getCompleted(0, 2))).toEqual([9, 8, 7]);
    expect(await data(queue.getFailed())).toEqual([11, 10]);
    await queue.add('later', 20, { delay: 60_000 });
    await queue.add('soon', 21, { delay: 30_000 });
    expect(await data(queue.getDelayed())).toEqual([21, 20]);
    const between = Date.now() + 45_000;
    expect([await queue.getDelayedCount(between), await queue.getDelayedCount(0)]).toEqual([1, 0]);
    await expect(queue.getDelayedCount(Number.NaN)).rejects.toMatchObject({ field: 'timestamp' });
    const empty = [queue.getActive(), queue.getPrioritized(), queue.getWaitingChildren()];
    expect(await Promise.all(empty)).toEqual([[], [], []]);
    await expect(queue.getWaiting(-1)).rejects.toMatchObject({ field: 'start' });
    await expect(queue.getWaiting(0, -2)).rejects.toMatchObject({ field: 'end' });
  });

  it('gives the log of a job by position', async () => {
    const queue = place.queue<number>();
    const worker = place.worker(queue, async (job) => {
      for (let n = 0; n < job.data; n += 1) await job.log(`line ${n}`);
    });
    // The first use of a script is slower than the next ones, which may overtake it.
    const warm = next(worker, 'completed');
    await queue.add('warm', 1);
    await warm;
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', 5);
    await completed;
    const lines = [0, 1, 2, 3, 4].map((n) => `line ${n}`);
    expect(await queue.getJobLogs(id)).toEqual({ logs: lines, count: 5 });
    expect(await queue.getJobLogs(id, 1, 2)).toEqual({ logs: ['line 1', 'line 2'], count: 5 });
    expect(await queue.getJobLogs(id, 0, 1, false)).toEqual({
      logs: ['line 4', 'line 3'],
      count: 5,
    });
    await expect(queue.getJobLogs('nothing')).rejects.toBeInstanceOf(JobNotFound);
  });

  it('gives its metrics, none where nobody has counted', async () => {
    const queue = place.queue();
    const nothing = { data: [], count: 0, meta: { count: 0 }, newestAt: undefined };
    expect(await queue.getMetrics('completed')).toEqual(nothing);
    const base = `bull:${queue.name}:metrics:failed`;
    const { client } = place.redis;
    await client.hset(base, { count: 7, prevTS: 1_800_000_123_000, prevCount: 7 });
    await client.rpush(`${base}:data`, 4, 3, 0);
    const metrics = await queue.getMetrics('failed');
    expect(metrics).toMatchObject({ data: [4, 3, 0], count: 3, meta: { count: 7 } });
    expect(metrics.newestAt).toBeInstanceOf(Date);
    expect((await queue.getMetrics('failed', 1, 1)).data).toEqual([3]);
    await expect(async () => queue.getMetrics('both' as never)).rejects.toMatchObject({
      field: 'kind',
    });
  });

  it('frees deduplication ids and trims its events', async () => {
    const queue = place.queue();
    const unique = { deduplication: { id: 'd' } };
    const { id, deduplicationId } = await queue.add('x', {}, unique);
    expect(deduplicationId).toBe('d');
    expect((await queue.getJob(id))?.deduplicationId).toBe('d');
    expect((await queue.add('x', {}, unique)).outcome).toBe('deduplicated');
    expect(await queue.removeDeduplicationKey('d')).toBe(true);
    expect(await queue.removeDeduplicationKey('d')).toBe(false);
    expect((await queue.add('x', {}, unique)).outcome).toBe('created');
    expect(await queue.trimEvents(1)).toBeGreaterThan(1);
    expect(await place.redis.client.xlen(`bull:${queue.name}:events`)).toBe(1);
  });

  it.each<[string, (queue: Queue) => Promise<unknown>]>([
    ['concurrency', (queue) => queue.setGlobalConcurrency(0)],
    ['concurrency', (queue) => queue.setGlobalConcurrency(1.5)],
    ['max', (queue) => queue.setGlobalRateLimit(0, 1_000)],
    ['duration', (queue) => queue.setGlobalRateLimit(1, -5)],
    ['rate_limit.duration', (queue) => queue.setGlobalRateLimit(1, 0)],
    ['maxEvents', (queue) => queue.setLimits({ maxEvents: -1 })],
    ['maxLength', (queue) => queue.trimEvents(-1)],
    ['id', (queue) => queue.removeDeduplicationKey('\udc00')],
  ])('refuses a bad %s by name, and nothing is written', async (field, call) => {
    const queue = place.queue();
    const error = await call(queue).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ field });
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });
});

overBoth('the queues of a connection', (place) => {
  it('are listed by name, page by page', async () => {
    const connection = place.connection();
    for (const name of ['list-b', 'list-a', 'other', 'list-c']) {
      await new Queue(name, { connection }).add('x', {});
    }
    await new Queue('list-b', { connection }).pause();
    const list = connection.getQueues({ prefix: 'list-', pageSize: 2 });
    expect(await list.all()).toEqual([
      { name: 'list-a', paused: false, problem: undefined },
      { name: 'list-b', paused: true, problem: undefined },
      { name: 'list-c', paused: false, problem: undefined },
    ]);
    const { items, nextPageToken } = await list.page();
    expect([items.length, typeof nextPageToken]).toEqual([2, 'string']);
  });
});
