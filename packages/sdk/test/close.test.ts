import { collect, eventually, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { WorkerClosed } from '../src/index.js';
import { delivery, FakeServer } from './fake-server.js';
import { LOCK_MS, next, overBoth } from './places.js';

overBoth('close', (place) => {
  it('waits for the handler while it keeps the lease, and has its end stored', async () => {
    const queue = place.queue();
    const runs: string[] = [];
    const handler = (name: string) => async () => {
      runs.push(name);
      await new Promise((resolve) => setTimeout(resolve, 2.5 * LOCK_MS));
      return name;
    };
    const first = place.worker(queue, handler('first'));
    const active = next(first, 'active');
    const { id } = await queue.add('x', {});
    await active;
    const second = place.worker(queue, handler('second'));
    await second.waitUntilReady();
    await first.close();
    expect(await queue.getJob(id)).toMatchObject({
      state: 'completed',
      returnvalue: 'first',
      attemptsStarted: 1,
    });
    expect(runs).toEqual(['first']);
  });

  it('T122 close drops failure: has a failure stored that comes after it was called', async () => {
    const queue = place.queue();
    const fail = signal('the handler may fail');
    const worker = place.worker(queue, async () => {
      await fail.wait();
      throw new Error('late failure');
    });
    const active = next(worker, 'active');
    const { id } = await queue.add('x', {});
    await active;
    const closed = worker.close();
    fail.resolve();
    await closed;
    expect(await queue.getJob(id)).toMatchObject({ state: 'failed', failedReason: 'late failure' });
  });

  it('T123 give back at exit: gives the job back after its time, to be run elsewhere at once', async () => {
    const queue = place.queue();
    const stopped = signal<unknown>('the abort');
    const worker = place.worker(
      queue,
      (_job, { signal: stop }) =>
        new Promise((_resolve, reject) => {
          stop.addEventListener('abort', () => {
            stopped.resolve(stop.reason);
            reject(stop.reason);
          });
        }),
      { lockDuration: 60_000 },
    );
    const active = next(worker, 'active');
    const { id } = await queue.add('x', {}, { attempts: 2 });
    await active;
    const other = place.worker(queue, () => 'elsewhere');
    const completed = next(other, 'completed');
    const began = performance.now();
    await worker.close({ timeoutMs: 50 });
    expect(await stopped.wait()).toBeInstanceOf(WorkerClosed);
    expect((await completed)[1]).toBe('elsewhere');
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await queue.getJob(id)).toMatchObject({
      state: 'completed',
      attemptsMade: 1,
      stalledCount: 0,
    });
  });

  it('T124 enqueue during drain: lets handlers add jobs to their end', async () => {
    const queue = place.queue();
    const target = place.queue(queue.connection);
    const go = signal('close was called');
    const worker = place.worker(queue, async () => {
      await go.wait();
      for (let n = 0; n < 100; n += 1) await target.add('x', { n });
    });
    const active = next(worker, 'active');
    await queue.add('x', {});
    await active;
    const closed = worker.close();
    go.resolve();
    await closed;
    expect(await target.getJobCounts('waiting')).toEqual({ waiting: 100 });
  });

  it('takes nothing more', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, () => 1);
    await worker.waitUntilReady();
    await worker.close();
    const { id } = await queue.add('x', {});
    worker.run();
    worker.resume();
    expect(await queue.getJobState(id)).toBe('waiting');
    expect([worker.isClosing, worker.running]).toEqual([true, 0]);
  });

  it('comes with await using, and before its connection', async () => {
    const { name } = place.queue();
    const events = collect<string>('events');
    const { Queue, Worker } = await import('../src/index.js');
    {
      await using connection = place.connection();
      const queue = new Queue(name, { connection });
      await using worker = new Worker(name, () => 1, { connection });
      worker.on('closing', () => events.push('closing'));
      worker.on('closed', () => events.push('closed'));
      const completed = next(worker, 'completed');
      await queue.add('x', {});
      await completed;
    }
    expect(events.items).toEqual(['closing', 'closed']);
  });

  it('of the connection closes the workers that still run on it', async () => {
    const queue = place.queue();
    const finish = signal('the handler may end');
    const worker = place.worker(queue, async () => finish.wait());
    const active = next(worker, 'active');
    const { id } = await queue.add('x', {});
    await active;
    const closed = queue.connection.close();
    finish.resolve();
    await closed;
    expect(worker.isClosing).toBe(true);
    const again = place.queue();
    const { Queue } = await import('../src/index.js');
    const job = await new Queue(queue.name, again).getJob(id);
    expect(job?.state).toBe('completed');
    await expect(queue.add('x', {})).rejects.toMatchObject({ reason: 'CONNECTION_CLOSED' });
  });

  it('T125 handle leak: leaves nothing behind, a hundred times over', async () => {
    const queue = place.queue();
    const workers = Array.from({ length: 100 }, () => place.worker(queue, () => 1));
    await Promise.all(workers.slice(0, 50).map((worker) => worker.waitUntilReady()));
    await Promise.all(workers.map((worker) => worker.close()));
    await eventually(() =>
      expect(
        process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
      ).toBeLessThan(20),
    );
  });
});

describe('close', () => {
  it('before the worker has begun, or reached anybody', async () => {
    const server = new FakeServer();
    await server.worker(() => 1, { autorun: false }).close();
    await server.worker(() => 1).close();
    const worker = server.worker(() => 1);
    await server.stream(1);
    const began = performance.now();
    await worker.close();
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  it('says drain, closes its side, and waits for the end', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const stream = await server.stream(1);
    stream.opened();
    await worker.waitUntilReady();
    const closed = worker.close();
    expect(await stream.next('window')).toMatchObject({ maxInFlight: 0 });
    expect(await stream.next('drain')).toMatchObject({ releaseUnstarted: true });
    await eventually(() => expect(stream.inputEnded).toBe(true));
    stream.end();
    await closed;
    expect(server.streams.items).toHaveLength(1);
  });

  it('does not wait for ever for answers that do not come', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    await stream.next('report');
    const began = performance.now();
    await worker.close();
    // A lock of 900 ms, and 2 s for the farewell.
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});
