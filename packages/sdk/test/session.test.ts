import * as pb from '@echomq/proto/messages';
import { collect, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { JobCancelled, UnrecoverableError } from '../src/index.js';
import { delivery, FakeServer } from './fake-server.js';
import { next } from './places.js';

describe('a session', () => {
  it('opens with who it is and what it wants', async () => {
    const server = new FakeServer();
    server.worker(() => 1, {
      concurrency: 3,
      lockDuration: 2_000,
      limiter: { max: 5, duration: 1_000 },
    });
    const stream = await server.stream(1);
    const open = await stream.next('open');
    expect(open).toMatchObject({
      worker: {
        workerId: 'tester',
        name: 'tester',
        pid: process.pid,
        sdk: { language: 'typescript' },
      },
      subscriptions: [
        {
          queue: 'q',
          maxInFlight: 6,
          lockDuration: { seconds: 2, nanos: 0 },
          rateLimit: { max: 5, duration: { seconds: 1, nanos: 0 } },
        },
      ],
      held: [],
      epoch: 0,
      load: { running: 0, capacity: 3 },
      ackedThrough: 0,
    });
    expect(open.worker?.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('says that a job runs before its handler begins', async () => {
    const server = new FakeServer();
    const began = signal<number>('the handler');
    let stream: Awaited<ReturnType<FakeServer['stream']>> | undefined;
    server.worker(() => {
      began.resolve(stream?.all('heartbeat').length ?? 0);
      return new Promise(() => {});
    });
    stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    await began.wait();
    await stream.next('heartbeat');
    const named = await stream.next('heartbeat');
    expect(named.holdings).toEqual({
      $case: 'held',
      value: { jobs: [{ leaseToken: 't-1', running: true }] },
    });
    expect(named.load).toEqual({ running: 0, capacity: 1 });
  });

  it('accepts what arrives together with one heartbeat', async () => {
    const server = new FakeServer();
    server.worker(() => new Promise(() => {}), { concurrency: 3 });
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'), delivery('2'));
    stream.deliver(delivery('3'));
    await stream.next('heartbeat');
    const { holdings } = await stream.next('heartbeat');
    expect(holdings?.$case === 'held' && holdings.value.jobs).toHaveLength(3);
  });

  it('reports results, failures and what a handler wants instead', async () => {
    const server = new FakeServer();
    const worker = server.worker(async (job) => {
      if (job.name === 'fail') throw new TypeError('broken');
      if (job.name === 'never') throw new UnrecoverableError('for good');
      if (job.name === 'text') throw 'just text';
      if (job.name === 'delay') job.moveToDelayed(5_000);
      if (job.name === 'release') job.release();
      if (job.name === 'limit') throw worker.rateLimit(2_000);
      if (job.name === 'bad') return { n: 1n };
      return { ok: job.name };
    });
    const stream = await server.stream(1);
    stream.opened();
    const report = async (name: string) => {
      stream.deliver(delivery(name, { name }));
      const { reportId, outcome, lease } = await stream.next('report');
      stream.ack(reportId);
      expect(lease?.leaseToken).toBe(`t-${name}`);
      return outcome?.kind;
    };
    expect(await report('ok')).toEqual({
      $case: 'complete',
      value: { returnValue: Buffer.from('{"ok":"ok"}') },
    });
    expect(await report('fail')).toMatchObject({
      $case: 'fail',
      value: { errorName: 'TypeError', message: 'broken', retry: pb.RetryMode.DEFAULT },
    });
    expect(await report('never')).toMatchObject({
      value: { errorName: 'UnrecoverableError', retry: pb.RetryMode.NEVER },
    });
    expect(await report('text')).toMatchObject({
      value: { errorName: 'Error', message: 'just text' },
    });
    expect(await report('delay')).toEqual({
      $case: 'delay',
      value: { due: { $case: 'delay', value: { seconds: 5, nanos: 0 } }, skipAttempt: true },
    });
    expect(await report('release')).toEqual({ $case: 'release', value: { toFront: true } });
    expect(await report('limit')).toEqual({
      $case: 'rateLimited',
      value: { duration: { seconds: 2, nanos: 0 } },
    });
    expect(await report('bad')).toMatchObject({
      $case: 'fail',
      value: { message: expect.stringContaining('returnvalue.n'), retry: pb.RetryMode.NEVER },
    });
  });

  it('aborts the handler of a job that was cancelled, and reports its end', async () => {
    const server = new FakeServer();
    const worker = server.worker(
      (_job, { signal: stop }) =>
        new Promise((_resolve, reject) => {
          stop.addEventListener('abort', () => reject(stop.reason));
        }),
    );
    const failed = next(worker, 'failed');
    const active = next(worker, 'active');
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    await active;
    const kind = pb.JobSignalKind.CANCEL_REQUESTED;
    stream.send({
      $case: 'jobSignal',
      value: { lease: { queue: 'q', jobId: '1', leaseToken: 't-1' }, kind, detail: '' },
    });
    const { reportId } = await stream.next('report');
    stream.ack(reportId, pb.Disposition.FAILED);
    const [, error, { final }] = await failed;
    expect(error).toBeInstanceOf(JobCancelled);
    expect(final).toBe(true);
  });

  it('gives back what it was asked for and has not begun', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => new Promise(() => {}), { concurrency: 1 });
    const active = next(worker, 'active');
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'), delivery('2'));
    await active;
    for (const id of ['1', '2']) {
      stream.send({
        $case: 'jobSignal',
        value: {
          lease: { queue: 'q', jobId: id, leaseToken: `t-${id}` },
          kind: pb.JobSignalKind.RECALL,
          detail: '',
        },
      });
    }
    const { lease, outcome } = await stream.next('report');
    expect(lease?.jobId).toBe('2');
    expect(outcome?.kind).toEqual({ $case: 'release', value: { toFront: true } });
  });

  it('closes its window for a pause, gives back what comes all the same, and opens it again', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1, { concurrency: 4 });
    const stream = await server.stream(1);
    stream.opened();
    await worker.waitUntilReady();
    await worker.pause();
    expect(await stream.next('window')).toMatchObject({ queue: 'q', maxInFlight: 0 });
    stream.deliver(delivery('1'));
    const { reportId, outcome } = await stream.next('report');
    expect(outcome?.kind?.$case).toBe('release');
    stream.ack(reportId, pb.Disposition.RELEASED);
    worker.resume();
    expect(await stream.next('window')).toMatchObject({ maxInFlight: 8 });
    stream.deliver(delivery('2'));
    expect((await stream.next('report')).outcome?.kind?.$case).toBe('complete');
  });

  it('changes its window with its concurrency', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1, { concurrency: 1 });
    const stream = await server.stream(1);
    stream.opened();
    await worker.waitUntilReady();
    worker.concurrency = 5;
    expect(await stream.next('window')).toMatchObject({ maxInFlight: 10 });
    expect(worker.concurrency).toBe(5);
    expect(() => {
      worker.concurrency = 0;
    }).toThrow(expect.objectContaining({ field: 'concurrency' }));
  });

  it('sends progress and log lines', async () => {
    const server = new FakeServer();
    const worker = server.worker(async (job) => {
      await job.updateProgress({ done: 1 });
      await job.log('a line');
      await expect(job.log('x'.repeat(70_000))).rejects.toMatchObject({ field: 'line' });
      await expect(job.updateProgress(Number.NaN)).rejects.toMatchObject({ field: 'progress' });
      return job.progress;
    });
    const progress = next(worker, 'progress');
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    expect((await stream.next('progress')).progress.toString()).toBe('{"done":1}');
    expect((await stream.next('logs')).lines).toEqual(['a line']);
    const { outcome } = await stream.next('report');
    expect(outcome?.kind).toEqual({
      $case: 'complete',
      value: { returnValue: Buffer.from('{"done":1}') },
    });
    expect((await progress)[1]).toEqual({ done: 1 });
  });

  it('says once that nothing is left to do', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const drained = collect<void>('drained');
    worker.on('drained', () => drained.push());
    const stream = await server.stream(1);
    stream.opened();
    const idle = () =>
      stream.send({
        $case: 'keepalive',
        value: {
          seq: 1,
          queues: [
            { queue: 'q', state: pb.SubscriptionState.IDLE, retryAfter: undefined, backlog: 0 },
          ],
        },
      });
    idle();
    stream.deliver(delivery('1'));
    const { reportId } = await stream.next('report');
    stream.ack(reportId);
    idle();
    idle();
    await drained.waitFor(1);
    expect(drained.items).toHaveLength(1);
  });
});
