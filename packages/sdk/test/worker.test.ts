import { collect, eventually, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { type ActiveJob, Queue, UnrecoverableError, Worker } from '../src/index.js';
import { LOCK_MS, next, overBoth } from './places.js';

overBoth('Worker', (place) => {
  it('runs a job and keeps its result, its progress and its log', async () => {
    const queue = place.queue<{ n: number }, { double: number }>();
    const worker = place.worker(queue, async (job) => {
      await job.updateProgress({ half: true });
      await job.log('one');
      await job.log('two');
      return { double: job.data.n * 2 };
    });
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', { n: 21 });
    const [job, result] = await completed;
    expect([job.id, result, job.attemptsMade]).toEqual([id, { double: 42 }, 1]);
    const stored = await queue.getJob(id);
    expect(stored).toMatchObject({
      state: 'completed',
      returnvalue: { double: 42 },
      progress: { half: true },
      attemptsMade: 1,
      attemptsStarted: 1,
    });
    expect(stored?.finishedOn).toBeGreaterThanOrEqual(stored?.processedOn ?? Number.NaN);
    const lines: string[] = [];
    for await (const line of stored?.logs() ?? []) lines.push(line);
    expect(lines).toEqual(['one', 'two']);
  });

  it('gives the handler what it needs to know', async () => {
    const queue = place.queue<{ n: number }>();
    const seen = signal<ActiveJob<{ n: number }>>('the job');
    place.worker(queue, (job) => seen.resolve(job), { name: 'ada' });
    const { id } = await queue.add(
      'x',
      { n: 1 },
      { attempts: 3, priority: 2, headers: { trace: 'a' } },
    );
    const job = await seen.wait();
    expect(job).toMatchObject({
      id,
      name: 'x',
      queueName: queue.name,
      data: { n: 1 },
      priority: 2,
      attemptsMade: 0,
      attemptsStarted: 1,
      stalledCount: 0,
      state: 'active',
    });
    expect(job.opts).toMatchObject({ attempts: 3, headers: { trace: 'a' } });
    await eventually(async () => {
      expect((await queue.getJob(id))?.processedBy).toBe('ada');
    });
  });

  it('retries with the backoff of the job and counts attempts', async () => {
    const queue = place.queue();
    const attempts: number[] = [];
    const worker = place.worker(queue, (job) => {
      attempts.push(job.attemptsMade);
      if (job.attemptsMade < 2) throw new Error(`failure ${job.attemptsMade}`);
      return 'at last';
    });
    const failures = collect<[string, boolean]>('failures');
    worker.on('failed', (_job, error, { final }) => failures.push([error.message, final]));
    const completed = next(worker, 'completed');
    const { id } = await queue.add(
      'x',
      {},
      { attempts: 3, backoff: { type: 'exponential', delay: 20 } },
    );
    expect((await completed)[1]).toBe('at last');
    expect(attempts).toEqual([0, 1, 2]);
    expect(failures.items).toEqual([
      ['failure 0', false],
      ['failure 1', false],
    ]);
    const stored = await queue.getJob(id);
    expect(stored?.attemptsMade).toBe(3);
    expect(stored?.stacktrace).toHaveLength(2);
  });

  it('fails for good when no attempt is left, and at once on an UnrecoverableError', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, (job) => {
      throw job.name === 'never' ? new UnrecoverableError('for good') : new TypeError('broken');
    });
    const failed = collect<[string, string, boolean]>('failures');
    worker.on('failed', (job, error, { final }) => failed.push([job.name, error.message, final]));
    const once = await queue.add('once', {});
    const never = await queue.add('never', {}, { attempts: 5 });
    expect(await failed.waitFor(2)).toEqual([
      ['once', 'broken', true],
      ['never', 'for good', true],
    ]);
    expect(await queue.getJob(once.id)).toMatchObject({ state: 'failed', failedReason: 'broken' });
    expect(await queue.getJob(never.id)).toMatchObject({ state: 'failed', attemptsMade: 1 });
    const again = await queue.getJob(once.id);
    await again?.retry();
    await failed.waitFor(3);
  });

  it('runs no more handlers at once than its concurrency, over several queues too', async () => {
    const connection = place.connection();
    const [a, b] = [place.queue(connection), place.queue(connection)];
    let running = 0;
    let most = 0;
    const done = collect<string>('jobs');
    const worker = new Worker(
      [a.name, b.name],
      async (job) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        done.push(job.queueName);
      },
      { connection, concurrency: 4 },
    );
    const jobs = Array.from({ length: 30 }, () => ({ name: 'x', data: {} }));
    await Promise.all([a.addBulk(jobs), b.addBulk(jobs)]);
    await done.waitFor(60, 10_000);
    await worker.close();
    expect(most).toBe(4);
    expect(done.items.filter((name) => name === a.name)).toHaveLength(30);
  });

  it('runs every job exactly once, in order with one slot', async () => {
    const queue = place.queue<number>();
    const seen: number[] = [];
    const worker = place.worker(queue, (job) => {
      seen.push(job.data);
    });
    const done = collect<void>('jobs');
    worker.on('completed', () => done.push());
    await queue.addBulk(Array.from({ length: 100 }, (_, n) => ({ name: 'x', data: n })));
    await done.waitFor(100, 10_000);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('keeps the lease of a job that takes many locks long', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, async (_job, { signal: stop }) => {
      await new Promise((resolve) => setTimeout(resolve, 3 * LOCK_MS));
      return stop.aborted;
    });
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', {});
    expect((await completed)[1]).toBe(false);
    expect(await queue.getJob(id)).toMatchObject({ attemptsStarted: 1, stalledCount: 0 });
  });

  it('tells the handler of a removed job, and goes on', async () => {
    const queue = place.queue();
    const stopped = signal<unknown>('the abort');
    const worker = place.worker(queue, async (job, { signal: stop }) => {
      if (job.name === 'next') return 'fine';
      await new Promise((resolve) => stop.addEventListener('abort', resolve));
      stopped.resolve(stop.reason);
      return 'late';
    });
    const active = next(worker, 'active');
    const lost = next(worker, 'leaseLost');
    const job = await queue.add('x', {});
    await active;
    expect(await job.remove().catch((error: { reason: string }) => error.reason)).toBe(
      'JOB_LOCKED',
    );
    expect(await job.remove({ force: true })).toBe(true);
    expect(await stopped.wait()).toMatchObject({ name: 'LeaseLost' });
    await lost;
    const completed = next(worker, 'completed');
    await queue.add('next', {});
    expect((await completed)[1]).toBe('fine');
  });

  it('works on what was added before it was there, and with autorun false only when told', async () => {
    const queue = place.queue();
    await queue.add('x', {});
    const worker = place.worker(queue, () => 'ran', { autorun: false });
    const completed = next(worker, 'completed');
    expect(worker.running).toBe(0);
    worker.run();
    expect((await completed)[1]).toBe('ran');
  });

  it('takes nothing while it is paused', async () => {
    const queue = place.queue();
    const seen = collect<string>('jobs');
    const worker = place.worker(queue, (job) => seen.push(job.name));
    await worker.waitUntilReady();
    await worker.pause();
    await queue.add('one', {});
    expect(worker.isPaused).toBe(true);
    const probe = place.worker(new Queue(`${queue.name}-probe`, queue), () => 1);
    const probed = next(probe, 'completed');
    await new Queue(`${queue.name}-probe`, queue).add('x', {});
    await probed;
    expect(seen.items).toEqual([]);
    worker.resume();
    await seen.waitFor(1);
  });
});
