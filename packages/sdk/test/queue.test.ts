import { describe, expect, it } from 'vitest';
import { AddedJob, EchoMQError, InvalidRequest, PayloadTooLarge } from '../src/index.js';
import { overBoth } from './places.js';

overBoth('Queue', (place) => {
  it('adds a job and reads it back', async () => {
    const queue = place.queue<{ to: string }>();
    const added = await queue.add('mail', { to: 'ada' }, { attempts: 3, priority: 7 });
    expect(added.outcome).toBe('created');
    expect(typeof added.id).toBe('string');
    expect(added.state).toBe('prioritized');
    const read = await queue.getJob(added.id);
    expect(read).toMatchObject({
      queueName: queue.name,
      id: added.id,
      name: 'mail',
      data: { to: 'ada' },
      priority: 7,
      attemptsMade: 0,
      attemptsStarted: 0,
      stalledCount: 0,
      returnvalue: undefined,
      failedReason: undefined,
      stacktrace: [],
      progress: undefined,
      processedOn: undefined,
      finishedOn: undefined,
      state: 'prioritized',
    });
    expect(read?.opts).toMatchObject({ attempts: 3, priority: 7 });
    expect(Math.abs((read?.timestamp ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(Buffer.from(read?.raw ?? []).toString()).toBe('{"to":"ada"}');
  });

  it('keeps data byte for byte as JSON writes it', async () => {
    const queue = place.queue();
    const data = {
      text: 'ä€𝄞\u0000\ud800',
      at: new Date(5),
      list: [1, null, 'x'],
      deep: { a: {} },
    };
    const { id } = await queue.add('x', data);
    const read = await queue.getJob(id);
    expect(Buffer.from(read?.raw ?? []).toString()).toBe(JSON.stringify(data));
    expect(read?.data).toEqual(JSON.parse(JSON.stringify(data)));
  });

  it('takes an id of the caller once and says so', async () => {
    const queue = place.queue();
    const first = await queue.add('x', { n: 1 }, { jobId: 'invoice-7' });
    const second = await queue.add('x', { n: 2 }, { jobId: 'invoice-7' });
    expect([first.id, first.outcome]).toEqual(['invoice-7', 'created']);
    expect([second.id, second.outcome]).toEqual(['invoice-7', 'existing']);
    expect((await queue.getJob('invoice-7'))?.data).toEqual({ n: 1 });
  });

  it('merges the default options of the queue under those of the add', async () => {
    const { name, connection } = place.queue();
    const { Queue } = await import('../src/index.js');
    const queue = new Queue(name, { connection, defaultJobOptions: { attempts: 5, lifo: true } });
    const { id } = await queue.add('x', {}, { attempts: 2 });
    expect((await queue.getJob(id))?.opts).toMatchObject({ attempts: 2, lifo: true });
  });

  it('adds many, in order', async () => {
    const queue = place.queue<{ n: number }>();
    const jobs = await queue.addBulk([0, 1, 2].map((n) => ({ name: 'x', data: { n } })));
    expect(jobs.map((job) => job.outcome)).toEqual(['created', 'created', 'created']);
    const read = await queue.getJobs(['waiting']).all();
    expect(read.map((job) => job.data.n)).toEqual([0, 1, 2]);
    expect(read.map((job) => job.id)).toEqual(jobs.map((job) => job.id));
    expect(await queue.addBulk([])).toEqual([]);
  });

  it('adds none of a bulk with a bad item', async () => {
    const queue = place.queue();
    const bad = { name: 'x', data: {}, opts: { jobId: '7' } };
    const error = await queue.addBulk([{ name: 'x', data: {} }, bad]).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'CUSTOM_JOB_ID_INVALID' });
    expect((error as InvalidRequest).field).toContain('1');
    expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 0 });
  });

  it('adds each item by itself if asked to', async () => {
    const queue = place.queue();
    const bad = { name: 'x', data: {}, opts: { jobId: '7' } };
    const results = await queue.addBulk([{ name: 'x', data: {} }, bad, { name: 'y', data: {} }], {
      perItem: true,
    });
    expect(results.map((result) => result instanceof AddedJob)).toEqual([true, false, true]);
    expect(results[1]).toBeInstanceOf(InvalidRequest);
    expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 2 });
  });

  it('has no job of an unknown id, and no jobs in an unknown queue', async () => {
    const queue = place.queue();
    expect(await queue.getJob('nothing')).toBeUndefined();
    expect(await queue.remove('nothing')).toBe(false);
    expect(await queue.getJobs().all()).toEqual([]);
    expect(await queue.isPaused()).toBe(false);
    expect(await queue.getJobCounts()).toEqual({
      waiting: 0,
      prioritized: 0,
      delayed: 0,
      active: 0,
      'waiting-children': 0,
      completed: 0,
      failed: 0,
    });
    await expect(queue.getJobState('nothing')).rejects.toMatchObject({ reason: 'JOB_NOT_FOUND' });
  });

  it('lists page by page', async () => {
    const queue = place.queue<{ n: number }>();
    await queue.addBulk(Array.from({ length: 25 }, (_, n) => ({ name: 'x', data: { n } })));
    const list = queue.getJobs(['waiting'], { pageSize: 10, order: 'desc' });
    const first = await list.page();
    expect(first.jobs.map((job) => job.data.n)).toEqual([24, 23, 22, 21, 20, 19, 18, 17, 16, 15]);
    expect(first.nextPageToken).toBeTypeOf('string');
    const seen: number[] = [];
    for await (const job of list) seen.push(job.data.n);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => 24 - i));
  });

  it('pauses and resumes', async () => {
    const queue = place.queue();
    await queue.add('x', {});
    await queue.pause();
    expect(await queue.isPaused()).toBe(true);
    await queue.resume();
    expect(await queue.isPaused()).toBe(false);
  });

  it('promotes, removes, retries by id', async () => {
    const queue = place.queue();
    const { id } = await queue.add('x', {}, { delay: 60_000 });
    await queue.promote(id);
    expect(await queue.getJobState(id)).toBe('waiting');
    await expect(queue.retryJob(id)).rejects.toMatchObject({ reason: 'JOB_NOT_IN_STATE' });
    expect(await queue.remove(id)).toBe(true);
    await expect(queue.promote('')).rejects.toBeInstanceOf(InvalidRequest);
  });

  it('promotes, removes, retries through the job', async () => {
    const queue = place.queue();
    const job = await queue.add('x', {}, { delay: 60_000 });
    expect(await job.getState()).toBe('delayed');
    await job.promote();
    expect(await job.getState()).toBe('waiting');
    await expect(job.promote()).rejects.toMatchObject({ reason: 'JOB_NOT_IN_STATE' });
    await expect(job.retry()).rejects.toMatchObject({ reason: 'JOB_NOT_IN_STATE' });
    expect(await job.remove()).toBe(true);
    expect(await job.remove()).toBe(false);
    await expect(job.getState()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  describe('refuses', () => {
    it.each([
      ['an id that is an integer', { jobId: '12' }, 'CUSTOM_JOB_ID_INVALID'],
      ['a priority that is too large', { priority: 2_097_152 }, 'INVALID_FIELD'],
      ['a negative priority', { priority: -1 }, 'INVALID_FIELD'],
      ['half an attempt', { attempts: 0.5 }, 'INVALID_FIELD'],
      ['a delay that is NaN', { delay: Number.NaN }, 'INVALID_FIELD'],
      ['a negative delay', { delay: -1 }, 'INVALID_FIELD'],
      ['a delay beyond 2^53', { delay: 2 ** 54 }, 'INVALID_FIELD'],
      ['a jitter over 1', { backoff: { type: 'fixed', delay: 1, jitter: 2 } }, 'INVALID_FIELD'],
      [
        'two fates of the parent',
        { failParentOnFailure: true, continueParentOnFailure: true },
        'INVALID_FIELD',
      ],
      ['an unknown option', { priorty: 1 } as object, 'INVALID_FIELD'],
    ])('%s', async (_what, opts, reason) => {
      const queue = place.queue();
      const error = await queue.add('x', {}, opts).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(InvalidRequest);
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', reason, retryable: false });
      expect((error as InvalidRequest).field).not.toBe('');
      expect(await queue.getJobs().all()).toEqual([]);
    });

    it.each([
      ['over the payload limit', 1_100_000],
      ['over the size of a message', 5_000_000],
    ])('data %s, at once, naming the limit', async (_what, bytes) => {
      const queue = place.queue();
      const began = performance.now();
      const error = await queue.add('x', 'x'.repeat(bytes)).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(PayloadTooLarge);
      expect(error).toMatchObject({ reason: 'PAYLOAD_TOO_LARGE', retryable: false });
      expect((error as PayloadTooLarge).limitBytes).toBeGreaterThanOrEqual(1_000_000);
      expect(performance.now() - began).toBeLessThan(2_000);
      expect(await queue.getJobs().all()).toEqual([]);
    });

    it.each([' ', '', 'a:b', 'x'.repeat(129), '{a}b', 'a\u0001'])(
      'the queue name %j',
      async (name) => {
        const { Queue } = await import('../src/index.js');
        const { connection } = place.queue();
        expect(() => new Queue(name, { connection })).toThrow(InvalidRequest);
      },
    );
  });

  it('gives every failure as an EchoMQError', async () => {
    const queue = place.queue();
    const error = await queue.getJobState('x').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EchoMQError);
  });
});
