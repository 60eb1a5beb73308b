import { AddJobRequest, EmptyReason } from '@echomq/proto/messages';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';

const used = useEngine({ limits: { maxWaiters: 300 } });
const api = () => used.engine.services.worker;
const idsOf = (jobs: readonly { lease: { jobId: string } | undefined }[]) =>
  jobs.map(({ lease }) => lease?.jobId);

describe('a fetch', () => {
  test('takes up to as many as it asks for, in order, each under a token of its own', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3', '4'));
    const { jobs } = await api().fetchJobs(fetchOf(queue, { maxJobs: 3 }), patient);
    expect(idsOf(jobs)).toEqual(['1', '2', '3']);
    const tokens = jobs.map(({ lease }) => lease?.leaseToken ?? '');
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
    const state = await queue.read();
    expect(state).toMatchObject({ wait: ['4'], active: ['3', '2', '1'] });
    expect(['1', '2', '3'].map((id) => state[`${id}:lock`])).toEqual(tokens);
  });

  test('that waits for nothing answers empty with the reason', async () => {
    const queue = used.queue();
    const reason = async () => (await api().fetchJobs(fetchOf(queue), patient)).emptyReason;
    expect(await reason()).toBe(EmptyReason.EMPTY);
    await queue.seed({ ...waiting('1'), meta: { paused: '1' } });
    expect(await reason()).toBe(EmptyReason.PAUSED);
    await queue.seed({ meta: { concurrency: '1' }, active: ['x'], jobs: { x: {} } });
    await used.redis.client.hdel(queue.key('meta'), 'paused');
    expect(await reason()).toBe(EmptyReason.CONCURRENCY_LIMITED);
    await queue.seed({ limiter: '9007199254740991', ttls: { limiter: 5_000 } });
    const limited = await api().fetchJobs(fetchOf(queue), patient);
    expect(limited.emptyReason).toBe(EmptyReason.RATE_LIMITED);
    expect(limited.retryAfter?.seconds).toBeGreaterThanOrEqual(4);
  });

  test('names the field that is wrong', async () => {
    const queue = used.queue();
    const fieldOf = async (more: Parameters<typeof fetchOf>[1]) =>
      (await refused(api().fetchJobs(fetchOf(queue, more), patient))).metadata.field;
    expect(await fieldOf({ queue: ' ' })).toBe('queue');
    expect(await fieldOf({ maxJobs: 0 })).toBe('max_jobs');
    expect(await fieldOf({ maxJobs: 101 })).toBe('max_jobs');
    expect(await fieldOf({ wait: seconds(61) })).toBe('wait');
    expect(await fieldOf({ lockDuration: seconds(0.5) })).toBe('lock_duration');
    expect(await fieldOf({ rateLimit: { max: 0, duration: seconds(1) } })).toBe('rate_limit.max');
  });

  test('a corrupt job is failed with its reason and blocks nobody', async () => {
    const queue = used.queue();
    const { jobs, wait } = waiting('1', '2');
    await queue.seed({ jobs: { ...jobs, '1': { opts: 'no json' } }, wait });
    const { jobs: taken } = await api().fetchJobs(fetchOf(queue, { maxJobs: 2 }), patient);
    expect(idsOf(taken)).toEqual(['2']);
    await expect
      .poll(() => queue.read())
      .toMatchObject({
        active: ['2'],
        failed: [['1', expect.any(Number)]],
        '1': { failedReason: expect.stringContaining('corrupt') },
      });
  });

  test('T095 poison by size: a job that fits no message even without its data is failed, and blocks nobody', async () => {
    const queue = used.queue();
    const { jobs, wait } = waiting('name', 'opts', 'next');
    const huge = 'x'.repeat(5_000_000);
    const odd = { name: { name: huge }, opts: { opts: JSON.stringify({ x: huge }) } };
    await queue.seed({ jobs: { ...jobs, ...odd }, wait });
    const { jobs: taken } = await api().fetchJobs(fetchOf(queue, { maxJobs: 3 }), patient);
    expect(idsOf(taken)).toEqual(['next']);
    const failedReason = expect.stringContaining('too large for a message');
    await expect
      .poll(() => queue.read())
      .toMatchObject({ active: ['next'], name: { failedReason }, opts: { failedReason } });
  });

  test('what does not fit the answer goes back to the front, in order', async () => {
    const queue = used.queue();
    const data = 'x'.repeat(1_000);
    const ids = ['1', '2', '3', '4', '5'];
    const small = { data: { s: 'x' } };
    await queue.seed({
      jobs: { '1': small, ...Object.fromEntries(ids.slice(1).map((id) => [id, { data }])) },
      wait: [...ids].reverse(),
    });
    const fetch = fetchOf(queue, { maxJobs: 5, maxResponseBytes: 2_600 });
    const { jobs } = await api().fetchJobs(fetch, patient);
    expect(idsOf(jobs)).toEqual(['1', '2']);
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['5', '4', '3'] });
    expect((await queue.read())['3']).not.toHaveProperty('atm');
  });

  test('one job that no answer can hold comes without its data, which is read apart', async () => {
    const queue = used.queue();
    const data = JSON.stringify('y'.repeat(300_000));
    await queue.seed({ jobs: { big: { data } }, wait: ['big'] });
    const fetch = fetchOf(queue, { maxResponseBytes: 10_000 });
    const { jobs } = await api().fetchJobs(fetch, patient);
    expect(jobs[0]).toMatchObject({ dataOmitted: true, dataSize: data.length });
    expect(jobs[0]?.data).toHaveLength(0);
    const chunks: Buffer[] = [];
    const sizes: number[] = [];
    const lease = jobs[0]?.lease;
    if (!lease) throw new Error('no lease');
    const request = { target: { $case: 'lease', value: lease } } as const;
    for await (const part of api().getJobData(request, patient)) {
      chunks.push(part.chunk);
      sizes.push(part.totalSize);
    }
    expect(Buffer.concat(chunks).toString()).toBe(data);
    expect(sizes).toEqual([data.length, 0]);
  });
});

describe('a long poll', () => {
  const add = (queue: { key(suffix: string): string }, id: string) =>
    used.redis.client
      .multi()
      .hset(queue.key(id), {
        name: 'n',
        data: '{}',
        opts: '{}',
        timestamp: 0,
        delay: 0,
        priority: 0,
      })
      .lpush(queue.key('wait'), id)
      .zadd(queue.key('marker'), 0, '0')
      .exec();

  test('waiters are served first come first served, one for each job', async () => {
    const queue = used.queue();
    const served: number[] = [];
    const abort = new AbortController();
    const polls = Array.from({ length: 200 }, async (_, at) => {
      const poll = fetchOf(queue, { wait: seconds(30) });
      const { jobs } = await api().fetchJobs(poll, { signal: abort.signal });
      if (jobs.length > 0) served.push(at);
    });
    await add(queue, 'first');
    await expect.poll(() => served).toEqual([0]);
    for (let job = 0; job < 20; job++) await add(queue, `job${job}`);
    await expect.poll(() => served).toEqual(Array.from({ length: 21 }, (_, at) => at));
    abort.abort();
    await Promise.all(polls);
    expect(served).toHaveLength(21);
  });

  test('a job for one of many waiters costs few commands', async () => {
    const queue = used.queue();
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const polls = Array.from({ length: 250 }, () =>
      api().fetchJobs(fetchOf(queue, { wait: seconds(30) }), { signal: abort.signal }),
    );
    const scripts = async () => {
      const stats = await used.redis.client.info('commandstats');
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    };
    await expect
      .poll(async () => Number(await used.redis.client.zcard(queue.key('marker'))))
      .toBe(0);
    const before = await scripts();
    await add(queue, 'only');
    await Promise.race(polls);
    // The first looks of some may still be under way.
    expect((await scripts()) - before).toBeLessThanOrEqual(25);
    abort.abort();
    await Promise.all(polls);
  });

  test('T104 dead waiter gets the job: a cancelled one gets nothing; the next waiter gets the job', async () => {
    const queue = used.queue();
    const abort = new AbortController();
    const dead = api().fetchJobs(fetchOf(queue, { wait: seconds(30) }), { signal: abort.signal });
    const alive = api().fetchJobs(fetchOf(queue, { wait: seconds(30) }), patient);
    abort.abort();
    await add(queue, '1');
    expect((await dead).jobs).toEqual([]);
    expect(idsOf((await alive).jobs)).toEqual(['1']);
  });

  test('cancelled after the job was taken: it goes back to the front with nothing counted', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const abort = new AbortController();
    const poll = api().fetchJobs(fetchOf(queue, { wait: seconds(30) }), { signal: abort.signal });
    // The fetch is on its way; its answer finds nobody.
    await Promise.resolve();
    await Promise.resolve();
    abort.abort();
    expect((await poll).jobs).toEqual([]);
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['2', '1'] });
    const state = await queue.read();
    expect(state.active).toBeUndefined();
    expect(state['1']).not.toHaveProperty('stc');
  });

  test('ends before the deadline of its caller, and is no error', async () => {
    const queue = used.queue();
    const from = performance.now();
    const context = { signal: patient.signal, deadline: Date.now() + 700 };
    const { jobs, emptyReason } = await api().fetchJobs(
      fetchOf(queue, { wait: seconds(30) }),
      context,
    );
    expect([jobs, emptyReason]).toEqual([[], EmptyReason.EMPTY]);
    expect(performance.now() - from).toBeLessThan(700);
  });

  test('T022 shorter delay behind longer: a delayed job comes at its time, a later one does not hide an earlier', async () => {
    const queue = used.queue();
    const { producer } = used.engine.services;
    const poll = () => api().fetchJobs(fetchOf(queue, { wait: seconds(10) }), patient);
    const waits = [poll(), poll()];
    const addIn = (delay: number) =>
      producer.addJob(
        AddJobRequest.fromPartial({
          queue: queue.name,
          name: 'n',
          options: { due: { $case: 'delay', value: seconds(delay) } },
        }),
        patient,
      );
    await addIn(0.6);
    const from = performance.now();
    await addIn(0.3);
    expect((await waits[0])?.jobs).toHaveLength(1);
    const first = performance.now() - from;
    expect((await waits[1])?.jobs).toHaveLength(1);
    const second = performance.now() - from;
    expect(first).toBeGreaterThanOrEqual(299);
    expect(first).toBeLessThan(500);
    expect(second).toBeLessThan(1_500);
  });

  test('a rate limit lets them through again by itself', async () => {
    const queue = used.queue();
    await queue.seed({ ...waiting('1'), limiter: '9007199254740991', ttls: { limiter: 300 } });
    const { jobs } = await api().fetchJobs(fetchOf(queue, { wait: seconds(10) }), patient);
    expect(jobs).toHaveLength(1);
  });

  test('too many of them are refused', async () => {
    const queue = used.queue();
    const abort = new AbortController();
    const polls = Array.from({ length: 300 }, () =>
      api().fetchJobs(fetchOf(queue, { wait: seconds(30) }), { signal: abort.signal }),
    );
    const one = api().fetchJobs(fetchOf(queue, { wait: seconds(30) }), patient);
    expect(await refused(one)).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_MANY_WAITERS',
    });
    abort.abort();
    await Promise.all(polls);
  });
});
