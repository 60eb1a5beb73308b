import { collect, eventually, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { Overloaded, Unavailable } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('while Redis is away', (place) => {
  it('calls fail as Unavailable, and work again afterwards', async () => {
    const queue = place.queue<number>();
    await queue.add('before', 1);
    await place.redis.server.crash();
    const error = await queue.add('during', 2).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ reason: 'BACKEND_UNAVAILABLE', retryable: true });
    await place.redis.server.restart();
    await eventually(async () => queue.add('after', 3), 15_000);
    // The server of these tests keeps nothing over a crash.
    const names = (await queue.getJobs(['waiting']).all()).map((job) => job.name);
    expect(new Set(names)).toEqual(new Set(['after']));
  });

  it('a worker goes on when it is back', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, (job) => job.name);
    await worker.waitUntilReady();
    await place.redis.server.crash();
    await place.redis.server.restart();
    const completed = next(worker, 'completed');
    await eventually(async () => queue.add('after', {}), 15_000);
    expect((await completed)[1]).toBe('after');
  });
});

overBoth('while Redis is full', (place) => {
  it('T092 store full: adds are refused as overload, and what runs is finished all the same', async () => {
    const queue = place.queue();
    const go = signal('Redis is full');
    const worker = place.worker(queue, async (job) => {
      if (job.name === 'first') await go.wait(15_000);
      return job.name;
    });
    const active = next(worker, 'active');
    await queue.add('first', {});
    await active;
    await place.redis.client.call('CONFIG', 'SET', 'maxmemory', '1');
    const error = await queue.add('refused', {}).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Overloaded);
    expect(error).toMatchObject({ reason: 'BACKEND_OUT_OF_MEMORY' });
    const done = collect<unknown>('results');
    worker.on('completed', (_job, result) => done.push(result));
    go.resolve();
    await done.waitFor(1, 10_000);
    await place.redis.client.call('CONFIG', 'SET', 'maxmemory', '0');
    await queue.add('second', {});
    expect(await done.waitFor(2, 10_000)).toEqual(['first', 'second']);
  });
});
