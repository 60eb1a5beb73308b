import { EchoMQError, type StatusCode } from '@echomq/core';
import { statusOf } from '@echomq/engine';
import * as pb from '@echomq/proto/messages';
import { collect, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../src/index.js';
import { delivery, FakeServer } from './fake-server.js';
import { next } from './places.js';

const engineError = (code: StatusCode, reason: string) =>
  new EchoMQError('ended', { code, reason });

describe('a broken stream', () => {
  it.each([
    ['CANCELLED', 'CANCELLED'],
    ['UNAVAILABLE', 'GATEWAY_DRAINING'],
    ['INTERNAL', 'SCRIPT_ERROR'],
    ['DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED'],
    ['UNKNOWN', 'OUTCOME_UNKNOWN'],
    ['UNAUTHENTICATED', 'CREDENTIALS_EXPIRED'],
    ['PERMISSION_DENIED', 'QUEUE_ACCESS_DENIED'],
    ['RESOURCE_EXHAUSTED', 'TOO_MANY_STREAMS'],
    ['INVALID_ARGUMENT', 'PROTOCOL_VIOLATION'],
  ] as const)(
    'by %s %s is followed by another, before and after its opening',
    async (code, reason) => {
      const server = new FakeServer();
      const worker = server.worker(() => 1);
      const down = collect<EchoMQError | undefined>('ends');
      worker.on('disconnected', (error) => down.push(error as never));
      (await server.stream(1)).end(engineError(code, reason));
      const second = await server.stream(2);
      second.opened();
      await worker.waitUntilReady();
      second.end(engineError(code, reason));
      const third = await server.stream(3);
      third.opened();
      expect(down.items.map((error) => [error?.code, error?.reason])).toEqual([
        [code, reason],
        [code, reason],
      ]);
      third.deliver(delivery('1'));
      await third.next('report');
    },
  );

  it('keeps its session, counts its epoch, says what it holds, and sends again what is not answered', async () => {
    const server = new FakeServer();
    const finish = signal<string>('the handler may end');
    const worker = server.worker(
      async (job) => {
        if (job.id === 'slow') {
          await finish.wait();
          await job.log('after the break');
        }
        return job.id;
      },
      { concurrency: 3 },
    );
    const first = await server.stream(1);
    const { worker: who } = await first.next('open');
    first.opened();
    first.deliver(delivery('slow'), delivery('quick'));
    await first.next('report');
    first.end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    await next(worker, 'disconnected');
    const second = await server.stream(2);
    const open = await second.next('open');
    expect(open).toMatchObject({
      worker: { sessionId: who?.sessionId },
      epoch: 1,
      ackedThrough: 0,
    });
    expect(open.held.map(({ leaseToken }) => leaseToken)).toEqual(['t-slow', 't-quick']);
    second.opened({
      adopted: open.held.map(({ leaseToken }) => ({
        leaseToken,
        status: pb.LeaseStatus.EXTENDED,
        lockTtl: undefined,
      })),
    });
    expect(await second.next('report')).toMatchObject({ reportId: 1, lease: { jobId: 'quick' } });
    second.ack(1);
    finish.resolve('now');
    expect(await second.next('logs')).toMatchObject({ lines: ['after the break'] });
    expect(await second.next('report')).toMatchObject({
      reportId: 2,
      ackedThrough: 1,
      lease: { jobId: 'slow' },
    });
  });

  it('aborts a handler whose lease was not adopted, and sends nothing of it', async () => {
    const server = new FakeServer();
    const worker = server.worker((_job, { signal: stop }) => {
      return new Promise((_resolve, reject) => {
        stop.addEventListener('abort', () => reject(stop.reason));
      });
    });
    const active = next(worker, 'active');
    const lost = next(worker, 'leaseLost');
    const first = await server.stream(1);
    first.opened();
    first.deliver(delivery('1'));
    await active;
    first.end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    const second = await server.stream(2);
    second.opened({
      rejected: [{ leaseToken: 't-1', status: pb.LeaseStatus.NOT_OWNED, lockTtl: undefined }],
    });
    const [job, error] = await lost;
    expect(job.id).toBe('1');
    expect(error).toBeInstanceOf(LeaseLost);
    second.deliver(delivery('2'));
    await next(worker, 'active');
    expect(second.all('report')).toEqual([]);
  });

  it('forgets what was delivered and not begun', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => new Promise(() => {}), { concurrency: 1 });
    const first = await server.stream(1);
    first.opened();
    first.deliver(delivery('1'), delivery('2'));
    await next(worker, 'active');
    first.end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    const second = await server.stream(2);
    expect((await second.next('open')).held.map(({ jobId }) => jobId)).toEqual(['1']);
  });

  it('sends progress and log lines of the time without a stream when there is one again', async () => {
    const server = new FakeServer();
    const go = signal('go on');
    const worker = server.worker(async (job) => {
      await go.wait();
      await job.updateProgress(1);
      await job.updateProgress(2);
      await job.log('one');
      await job.log('two');
      return new Promise(() => {});
    });
    const first = await server.stream(1);
    first.opened();
    first.deliver(delivery('1'));
    await next(worker, 'active');
    first.end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    await next(worker, 'disconnected');
    go.resolve();
    const second = await server.stream(2);
    second.opened();
    expect((await second.next('logs')).lines).toEqual(['one', 'two']);
    expect((await second.next('progress')).progress.toString()).toBe('2');
  });

  it('begins a new session when the server is done with the old one', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const first = await server.stream(1);
    const before = await first.next('open');
    first.opened();
    first.deliver(delivery('1'), delivery('2'));
    const { reportId } = await first.next('report');
    first.ack(reportId);
    await first.next('report');
    first.end(engineError('ABORTED', 'WORKER_UNRESPONSIVE'));
    const second = await server.stream(2);
    const after = await second.next('open');
    expect(after.epoch).toBe(0);
    expect(after.worker?.sessionId).not.toBe(before.worker?.sessionId);
    second.opened();
    expect(await second.next('report')).toMatchObject({ reportId: 1, lease: { jobId: '2' } });
    await worker.waitUntilReady();
  });

  it('T106 zombie worker: is noticed by its silence alone', async () => {
    const server = new FakeServer();
    server.worker(() => 1);
    const first = await server.stream(1);
    first.opened({}, { keepaliveMs: 40 });
    const second = await server.stream(2);
    expect((await second.next('open')).epoch).toBe(1);
    expect(first.broken.aborted).toBe(true);
  });

  it('is not mistaken for silence while the server speaks', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const first = await server.stream(1);
    first.opened({}, { keepaliveMs: 80 });
    for (let seq = 1; seq <= 8; seq += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      first.send({ $case: 'keepalive', value: { seq, queues: [] } });
    }
    expect(server.streams.items).toHaveLength(1);
    await worker.waitUntilReady();
  });
});

describe('a directive', () => {
  const directive = (action: pb.WorkerDirectiveAction, afterMs = 0) => ({
    $case: 'directive' as const,
    value: { action, after: pb.msToDuration(afterMs), reason: 'test' },
  });

  it('RECONNECT: another stream takes over before the old one is left', async () => {
    const server = new FakeServer();
    const finish = signal('the handler may end');
    const worker = server.worker(async () => finish.wait(), { concurrency: 2 });
    const first = await server.stream(1);
    first.opened();
    first.deliver(delivery('1'));
    await next(worker, 'active');
    first.send(directive(pb.WorkerDirectiveAction.RECONNECT, 20));
    const second = await server.stream(2);
    const open = await second.next('open');
    expect(open).toMatchObject({ epoch: 1, held: [{ jobId: '1' }] });
    expect(first.broken.aborted).toBe(false);
    // Whatever the old one still delivers is left to go back.
    first.deliver(delivery('2'));
    second.opened();
    await second.next('heartbeat');
    expect(first.broken.aborted).toBe(true);
    finish.resolve();
    expect(await second.next('report')).toMatchObject({ reportId: 1, lease: { jobId: '1' } });
    expect(first.all('report')).toEqual([]);
  });

  it('DRAIN: reports on the old stream while no other takes it, then leaves in good order', async () => {
    const server = new FakeServer();
    const finish = signal('the handler may end');
    const worker = server.worker(async () => finish.wait());
    const first = await server.stream(1);
    first.opened();
    first.deliver(delivery('1'));
    await next(worker, 'active');
    first.send(directive(pb.WorkerDirectiveAction.DRAIN));
    expect(await first.next('window')).toMatchObject({ maxInFlight: 0 });
    (await server.stream(2)).end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    finish.resolve();
    const { reportId } = await first.next('report');
    first.ack(reportId);
    await first.next('drain');
    first.end();
    const streams = await server.streams.waitFor(server.streams.items.length + 1);
    streams.at(-1)?.opened();
    await worker.waitUntilReady();
  });

  it('QUIET: takes no more until the stream is another', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1, { concurrency: 2 });
    const first = await server.stream(1);
    first.opened();
    await worker.waitUntilReady();
    first.send(directive(pb.WorkerDirectiveAction.QUIET));
    expect(await first.next('window')).toMatchObject({ maxInFlight: 0 });
    first.end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    const second = await server.stream(2);
    expect((await second.next('open')).subscriptions[0]?.maxInFlight).toBe(4);
  });
});

describe('refused reports over a break', () => {
  it('are forgotten when the server says so', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const lost = next(worker, 'leaseLost');
    const first = await server.stream(1);
    first.opened();
    first.deliver(delivery('1'));
    await first.next('report');
    first.end(engineError('UNAVAILABLE', 'GATEWAY_DRAINING'));
    const second = await server.stream(2);
    const gone = { leaseToken: 't-1', status: pb.LeaseStatus.LOST, lockTtl: undefined };
    second.opened({ rejected: [gone] });
    await second.next('report');
    second.refuse(1, statusOf(engineError('FAILED_PRECONDITION', 'LOCK_LOST')));
    expect((await lost)[0].id).toBe('1');
    second.deliver(delivery('2'));
    expect(await second.next('report')).toMatchObject({ reportId: 2, ackedThrough: 1 });
  });
});
