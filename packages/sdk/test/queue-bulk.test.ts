import { collect, eventually, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { EchoMQError, InvalidRequest, type JobState, QueueNotFound } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('a queue in bulk', (place) => {
  it('drains what is ready, and what waits for its time if it is told to', async () => {
    const queue = place.queue();
    await queue.addBulk([
      { name: 'a', data: {} },
      { name: 'b', data: {}, opts: { priority: 3 } },
      { name: 'c', data: {}, opts: { delay: 60_000 } },
    ]);
    await queue.upsertJobScheduler('s', { every: 3_600_000, startDate: Date.now() + 60_000 });
    expect(await queue.drain()).toBe(2);
    expect(await queue.count()).toBe(2);
    expect(await queue.drain(true)).toBe(1);
    expect(await queue.count()).toBe(1);
    expect(await queue.getJobSchedulersCount()).toBe(1);
  });

  it('cleans old jobs of a state, as many as it is told to', async () => {
    const queue = place.queue<number>();
    const worker = place.worker(queue, (job) => {
      if (job.data % 2 === 1) throw new Error('odd');
    });
    const ends = collect('ends');
    worker.on('completed', ends.push);
    worker.on('failed', ends.push);
    await queue.addBulk(Array.from({ length: 20 }, (_, n) => ({ name: 'x', data: n })));
    await ends.waitFor(20, 15_000);
    expect(await queue.clean(60_000)).toEqual([]);
    expect(await queue.clean(0, 3, 'failed')).toHaveLength(3);
    expect(await queue.getJobCounts('completed', 'failed')).toEqual({ completed: 10, failed: 7 });
    expect(await queue.clean(0)).toHaveLength(10);
    expect(await queue.clean(0, 0, 'failed')).toHaveLength(7);
    expect(await queue.getJobCountByTypes('completed', 'failed')).toBe(0);
  });

  it('cleans more jobs than one call may remove', async () => {
    const queue = place.queue();
    for (let n = 0; n < 3; n += 1) {
      await queue.addBulk(Array.from({ length: 1_000 }, () => ({ name: 'x', data: {} })));
    }
    const ids = await queue.clean(0, 2_500, 'waiting');
    expect(new Set(ids).size).toBe(2_500);
    expect(await queue.getWaitingCount()).toBe(500);
  });

  it('makes all failed jobs ready again, or those of a name, part by part', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, () => {
      throw new Error('no');
    });
    const ends = collect('ends');
    worker.on('failed', ends.push);
    const item = (name: string) => ({ name, data: {} });
    await queue.addBulk([...Array(5).fill(item('x')), ...Array(3).fill(item('y'))]);
    await ends.waitFor(8, 15_000);
    await worker.close();
    expect(await queue.retryJobs({ name: 'y', count: 2, resetAttempts: true })).toBe(3);
    expect(await queue.getJobCounts('waiting', 'failed')).toEqual({ waiting: 3, failed: 5 });
    const again = await queue.getWaiting();
    expect(again.map(({ name, attemptsMade }) => [name, attemptsMade])).toEqual(
      Array(3).fill(['y', 0]),
    );
    expect(await queue.retryJobs({ olderThan: 3_600_000 })).toBe(0);
    const told: number[] = [];
    expect(await queue.retryJobs({ count: 2, onProgress: (moved) => told.push(moved) })).toBe(5);
    expect(told).toEqual([2, 4, 5]);
    expect(await queue.retryJobs({ state: 'completed' })).toBe(0);
    expect(await queue.getJobCounts('waiting', 'failed')).toEqual({ waiting: 8, failed: 0 });
  });

  it('makes all delayed jobs ready', async () => {
    const queue = place.queue();
    const item = (name: string) => ({ name, data: {}, opts: { delay: 60_000 } });
    await queue.addBulk([...Array(5).fill(item('x')), item('y')]);
    expect(await queue.promoteJobs({ name: 'y' })).toBe(1);
    expect(await queue.promoteJobs({ count: 2 })).toBe(5);
    expect(await queue.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 6, delayed: 0 });
  });

  it('leaves nothing of a queue that is obliterated', async () => {
    const queue = place.queue();
    await queue.addBulk(Array.from({ length: 50 }, () => ({ name: 'x', data: {} })));
    await queue.add('x', {}, { delay: 60_000, deduplication: { id: 'd' } });
    await queue.upsertJobScheduler('s', { every: 3_600_000 });
    await queue.setGlobalConcurrency(3);
    await queue.obliterate({ count: 10 });
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });

  it('does not obliterate what is at work unless it is forced to', async () => {
    const queue = place.queue();
    const go = signal('the handler may end');
    const worker = place.worker(queue, () => go.wait(15_000));
    const active = next(worker, 'active');
    await queue.add('x', {});
    await active;
    const error = await queue.obliterate().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EchoMQError);
    expect(error).toMatchObject({ reason: 'QUEUE_HAS_ACTIVE_JOBS' });
    expect(await queue.isPaused()).toBe(true);
    const lost = next(worker, 'leaseLost');
    await queue.obliterate({ force: true });
    await lost;
    go.resolve();
    await eventually(async () => {
      const keys = Object.keys(await place.redis.freshQueue({ name: queue.name }).read());
      // What is known of the worker's session goes by itself.
      expect(keys.filter((key) => !/^(stalled-check|meta:(rcpt|workers):.*)$/.test(key))).toEqual(
        [],
      );
    });
  });

  it.each<[string, (queue: ReturnType<typeof place.queue>) => Promise<unknown>]>([
    ['drain', (queue) => queue.drain()],
    ['clean', (queue) => queue.clean(0)],
    ['retryJobs', (queue) => queue.retryJobs()],
    ['promoteJobs', (queue) => queue.promoteJobs()],
    ['trimEvents', (queue) => queue.trimEvents(0)],
    ['removeDeduplicationKey', (queue) => queue.removeDeduplicationKey('d')],
  ])('%s of an unknown queue is an error', async (_name, call) => {
    const queue = place.queue();
    await expect(call(queue)).rejects.toBeInstanceOf(QueueNotFound);
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });

  it.each<[string, (queue: ReturnType<typeof place.queue>) => Promise<unknown>]>([
    ['grace', (queue) => queue.clean(-1)],
    ['limit', (queue) => queue.clean(0, -1)],
    ['state', (queue) => queue.clean(0, 0, 'wait' as JobState)],
    ['state', (queue) => queue.clean(0, 0, 'toString' as JobState)],
    ['count', (queue) => queue.retryJobs({ count: 0 })],
    ['count', (queue) => queue.promoteJobs({ count: 10_001 })],
    ['olderThan', (queue) => queue.retryJobs({ olderThan: Number.NaN })],
    ['state', (queue) => queue.retryJobs({ state: 'waiting' as never })],
    ['count', (queue) => queue.obliterate({ count: 0.5 })],
    ['name', (queue) => queue.promoteJobs({ name: 7 as never })],
  ])('a bad %s is refused by name, and nothing is changed', async (field, call) => {
    const queue = place.queue();
    await queue.add('x', {}, { delay: 60_000 });
    const before = await place.redis.freshQueue({ name: queue.name }).read();
    const error = await call(queue).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ field });
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual(before);
  });
});
