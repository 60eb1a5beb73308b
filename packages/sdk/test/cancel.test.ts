import * as pb from '@echomq/proto/messages';
import { collect, eventually, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { JobCancelled, LeaseLost, Queue } from '../src/index.js';
import { delivery, FakeServer } from './fake-server.js';
import { next, overBoth } from './places.js';

/** What is heard sooner than a third of this came at once, not with a renewal. */
const LONG_LOCK = { lockDuration: 30_000 };
const OPTS = { attempts: 5, backoff: { type: 'fixed', delay: 10 } } as const;

overBoth('cancel', (place) => {
  it.each(['throws', 'returns'])(
    'aborts the handler at once; the job fails as cancelled and is not tried again, though it %s',
    async (how) => {
      const queue = place.queue();
      const stopped = signal<unknown>('the abort');
      const worker = place.worker(
        queue,
        async (_job, { signal: stop }) => {
          await new Promise((resolve) => stop.addEventListener('abort', resolve));
          stopped.resolve(stop.reason);
          if (how === 'throws') throw new Error('stopped');
          return 'done all the same';
        },
        LONG_LOCK,
      );
      const failed = next(worker, 'failed');
      const active = next(worker, 'active');
      const job = await queue.add('x', {}, OPTS);
      await active;
      const began = performance.now();
      // In this process each connection is a server of its own.
      const elsewhere = new Queue(queue.name, { connection: place.connection() });
      const told = { delivered: true, state: 'active' };
      expect(await elsewhere.cancel(job.id)).toEqual(told);
      const reason = await stopped.wait();
      // Within a second; a busy machine gets five.
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(reason).toBeInstanceOf(JobCancelled);
      expect(reason).toMatchObject({ metadata: { queue: queue.name, jobId: job.id } });
      const [ended, error, { final }] = await failed;
      expect([ended.id, final, ended.failedReason]).toEqual([job.id, true, 'cancelled']);
      expect(error).toBeInstanceOf(JobCancelled);
      expect(await queue.getJob(job.id)).toMatchObject({
        state: 'failed',
        failedReason: 'cancelled',
        attemptsMade: 1,
      });
    },
  );

  it('T006 operator action vs running job: by force fails it under its worker, which is told and goes on with the next', async () => {
    const queue = place.queue();
    const results = collect<unknown>('aborts');
    const worker = place.worker(
      queue,
      async (job, { signal: stop }) => {
        if (job.name === 'next') return 'fine';
        await new Promise((resolve) => stop.addEventListener('abort', resolve));
        results.push(stop.reason);
        return 'late';
      },
      LONG_LOCK,
    );
    const errors: Error[] = [];
    worker.on('error', (error) => errors.push(error));
    const active = next(worker, 'active');
    const job = await queue.add('x', {}, OPTS);
    await active;
    const lost = next(worker, 'leaseLost');
    const state = 'failed';
    expect(await job.cancel({ force: true })).toEqual({ delivered: true, state });
    expect((await lost)[0].id).toBe(job.id);
    expect((await results.waitFor(1))[0]).toBeInstanceOf(LeaseLost);
    const completed = next(worker, 'completed');
    await queue.add('next', {});
    expect((await completed)[1]).toBe('fine');
    const stored = await queue.getJob(job.id);
    expect(stored).toMatchObject({ state, failedReason: 'cancelled', attemptsMade: 1 });
    expect(stored?.returnvalue).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it('fails at once what does not run, and says where it cannot', async () => {
    const queue = place.queue();
    const waiting = await queue.add('x', {}, OPTS);
    const delayed = await queue.add('x', {}, { ...OPTS, delay: 60_000 });
    const failed = { delivered: true, state: 'failed' };
    expect(await queue.cancel(waiting.id)).toEqual(failed);
    expect(await delayed.cancel()).toEqual(failed);
    expect(await queue.getJobCounts('waiting', 'delayed', 'failed')).toEqual({
      waiting: 0,
      delayed: 0,
      failed: 2,
    });
    await expect(queue.cancel(waiting.id)).rejects.toMatchObject({
      name: 'JobNotInState',
      metadata: { actual: 'FAILED' },
    });
    await expect(queue.cancel('nobody')).rejects.toMatchObject({ name: 'JobNotFound' });
  });

  it('runs again when it is retried, and the old cancel does not touch it', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, () => 'ran', { autorun: false });
    const job = await queue.add('x', {});
    await job.cancel();
    await queue.retryJob(job.id);
    const completed = next(worker, 'completed');
    worker.run();
    expect((await completed)[1]).toBe('ran');
  });
});

describe('a job that is cancelled before its handler has begun', () => {
  it('is given back, which ends it', async () => {
    const server = new FakeServer();
    const finish = signal('the first may end');
    const seen: string[] = [];
    server.worker(async (job) => {
      seen.push(job.id);
      await finish.wait();
    });
    const stream = await server.stream(1);
    stream.opened();
    stream.answerHeartbeats();
    stream.deliver(delivery('1'), delivery('2'));
    await eventually(() => expect(seen).toEqual(['1']));
    const lease = { queue: 'q', jobId: '2', leaseToken: 't-2' };
    const kind = pb.JobSignalKind.CANCEL_REQUESTED;
    stream.send({ $case: 'jobSignal', value: { lease, kind, detail: '' } });
    const report = await stream.next('report');
    expect([report.lease?.jobId, report.outcome?.kind?.$case]).toEqual(['2', 'release']);
    stream.ack(report.reportId, pb.Disposition.FAILED);
    finish.resolve();
    expect((await stream.next('report')).lease?.jobId).toBe('1');
    expect(seen).toEqual(['1']);
  });
});
