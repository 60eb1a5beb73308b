import { collect } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { DelayedError } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('a handler', (place) => {
  it('T007 double transition: delays a job that says so, without counting an attempt, a thousand times over', async () => {
    const queue = place.queue<{ n: number }>();
    const worker = place.worker(
      queue,
      (job) => {
        if (job.attemptsStarted > 1) return 'done';
        if (job.data.n % 2 === 0) throw new DelayedError(10);
        job.moveToDelayed(10);
        return 'not this';
      },
      { concurrency: 20 },
    );
    const results = collect<[unknown, number]>('results');
    const errors: Error[] = [];
    worker.on('error', (error) => errors.push(error));
    worker.on('failed', (_job, error) => errors.push(error));
    worker.on('completed', (job, result) => results.push([result, job.attemptsMade]));
    await queue.addBulk(Array.from({ length: 200 }, (_, n) => ({ name: 'x', data: { n } })));
    await results.waitFor(200, 60_000);
    expect(new Set(results.items.map((each) => JSON.stringify(each)))).toEqual(
      new Set(['["done",1]']),
    );
    expect(errors).toEqual([]);
  }, 90_000);

  it('gives a job back that says so', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, (job) => {
      if (job.attemptsStarted < 3) job.release();
      return job.attemptsStarted;
    });
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', {});
    await completed;
    expect(await queue.getJob(id)).toMatchObject({
      state: 'completed',
      attemptsMade: 1,
      stalledCount: 0,
    });
  });

  it('holds the queue for a while on a rate limit', async () => {
    const queue = place.queue();
    const started: number[] = [];
    const worker = place.worker(queue, () => {
      started.push(performance.now());
      if (started.length === 1) throw worker.rateLimit(300);
    });
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', {});
    await completed;
    expect((started[1] ?? 0) - (started[0] ?? 0)).toBeGreaterThan(250);
    expect((await queue.getJob(id))?.attemptsMade).toBe(1);
  });

  it('replaces the payload of a job that runs', async () => {
    const queue = place.queue<{ step: number }>();
    const worker = place.worker(queue, async (job) => {
      const { step } = job.data;
      await job.updateData({ step: step + 1 });
      if (job.data.step < 3) throw new Error('again');
      return job.data.step;
    });
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', { step: 0 }, { attempts: 5 });
    expect((await completed)[1]).toBe(3);
    expect((await queue.getJob(id))?.data).toEqual({ step: 3 });
  });

  it('T089 listener throws: is not harmed by listeners that throw', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, () => 1, { concurrency: 2 });
    const errors = collect<Error>('errors');
    const seen = collect<void>('completed');
    worker.on('error', errors.push);
    worker.on('completed', () => {
      throw new Error('from the listener');
    });
    worker.on('completed', async () => Promise.reject(new Error('from an async listener')));
    worker.on('completed', () => seen.push());
    await queue.addBulk(Array.from({ length: 10 }, () => ({ name: 'x', data: {} })));
    await seen.waitFor(10);
    await errors.waitFor(20);
    expect(errors.items).toHaveLength(20);
    const causes = errors.items.map(({ cause }) => (cause as Error).message);
    expect(causes.filter((message) => message === 'from the listener')).toHaveLength(10);
    expect(await queue.getJobCounts('completed')).toEqual({ completed: 10 });
  });

  it('T096 over-size both ways: fails a job whose result is too large, shortly', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, () => 'x'.repeat(10_000_000));
    const failed = next(worker, 'failed');
    const { id } = await queue.add('x', {}, { attempts: 3 });
    const [, error, { final }] = await failed;
    expect([error.name, final]).toEqual(['PayloadTooLarge', true]);
    const stored = await queue.getJob(id);
    expect(stored?.state).toBe('failed');
    expect(stored?.failedReason).toBe('returnvalue: 10000002 bytes, the limit is 1048576');
  });

  it('T096 over-size both ways: fails a job with an error text of 10 MB, cut', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, () => {
      throw new Error('x'.repeat(10_000_000));
    });
    const failed = next(worker, 'failed');
    const { id } = await queue.add('x', {});
    await failed;
    const reason = (await queue.getJob(id))?.failedReason ?? '';
    expect(reason).toMatch(/^x{3000}/);
    expect(reason.length).toBeLessThanOrEqual(4_096);
  });
});
