import * as pb from '@echomq/proto/messages';
import { signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../src/index.js';
import { delivery, FakeServer } from './fake-server.js';
import { next } from './places.js';

/** Blocks this process, as a handler does that computes. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a lease', () => {
  it('is given up by this side before it can be given to anyone, when nothing is heard', async () => {
    const server = new FakeServer();
    const stopped = signal<unknown>('the abort');
    const worker = server.worker((_job, { signal: stop }) => {
      stop.addEventListener('abort', () => stopped.resolve(stop.reason));
      return new Promise(() => {});
    });
    const lost = next(worker, 'leaseLost');
    const stream = await server.stream(1);
    stream.opened({}, { keepaliveMs: 60_000 });
    stream.deliver(delivery('1'));
    const reason = await stopped.wait();
    expect(reason).toBeInstanceOf(LeaseLost);
    expect(reason).toMatchObject({ reason: 'LOCK_LOST', metadata: { queue: 'q', jobId: '1' } });
    expect((await lost)[0].id).toBe('1');
    expect(stream.all('report')).toEqual([]);
  });

  it.each([
    ['a signal', pb.JobSignalKind.LOCK_LOST],
    ['its removal', pb.JobSignalKind.REMOVED],
    ['its longest life', pb.JobSignalKind.LOCK_MAX_LIFETIME],
  ])(
    'is lost by %s: the result is discarded, and the place stays taken until the handler ends',
    async (_what, kind) => {
      const server = new FakeServer();
      const finish = signal('the handler may end');
      const worker = server.worker(
        async (job, { signal: stop }) => {
          if (job.id !== '1') return job.id;
          await finish.wait();
          return stop.aborted;
        },
        { concurrency: 2 },
      );
      const stream = await server.stream(1);
      stream.opened();
      stream.answerHeartbeats();
      stream.deliver(delivery('1'));
      await next(worker, 'active');
      const lost = next(worker, 'leaseLost');
      const lease = { queue: 'q', jobId: '1', leaseToken: 't-1' };
      stream.send({ $case: 'jobSignal', value: { lease, kind, detail: 'gone' } });
      expect((await lost)[1].message).toContain('gone');
      expect(await stream.next('window')).toMatchObject({ maxInFlight: 1 });
      expect(worker.running).toBe(1);
      stream.deliver(delivery('2'));
      expect((await stream.next('report')).lease?.jobId).toBe('2');
      finish.resolve();
      expect(await stream.next('window')).toMatchObject({ maxInFlight: 4 });
      expect(stream.all('report').map(({ lease: held }) => held?.jobId)).toEqual(['2']);
    },
  );

  it('is renewed by calls while there is no stream, and goes on with the next one', async () => {
    const asked: pb.ExtendLocksRequest[] = [];
    const server = new FakeServer({
      worker: {
        extendLocks: async (request: pb.ExtendLocksRequest) => {
          asked.push(request);
          const leases = request.leases.map(({ leaseToken }) => ({
            leaseToken,
            status: pb.LeaseStatus.EXTENDED,
            lockTtl: pb.msToDuration(900),
          }));
          return pb.ExtendLocksResponse.fromPartial({ leases });
        },
      } as never,
    });
    const finish = signal('the handler may end');
    const worker = server.worker(async (_job, { signal: stop }) => {
      await finish.wait();
      return stop.aborted;
    });
    const first = await server.stream(1);
    first.opened();
    first.answerHeartbeats();
    first.deliver(delivery('1'));
    await next(worker, 'active');
    first.end(new Error('gone'));
    const second = await server.stream(2);
    // Three lives of its lock, during which no stream is up.
    await new Promise((resolve) => setTimeout(resolve, 2_700));
    expect(asked.length).toBeGreaterThan(5);
    expect(asked[0]?.leases).toEqual([{ queue: 'q', jobId: '1', leaseToken: 't-1' }]);
    const lockTtl = pb.msToDuration(900);
    const adopted = [{ leaseToken: 't-1', status: pb.LeaseStatus.EXTENDED, lockTtl }];
    second.opened({ adopted });
    second.answerHeartbeats();
    const count = asked.length;
    finish.resolve();
    const report = await second.next('report');
    expect(report.outcome?.kind).toMatchObject({ value: { returnValue: Buffer.from('false') } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(asked).toHaveLength(count);
  });

  it('refuses the writes of a run that no longer counts', async () => {
    const server = new FakeServer();
    const results = signal<unknown[]>('the results');
    const worker = server.worker(async (job, { signal: stop }) => {
      await new Promise((resolve) => stop.addEventListener('abort', resolve));
      const writes = [job.updateProgress(1), job.log('x'), job.updateData({})];
      results.resolve(
        (await Promise.allSettled(writes)).map((each) => each.status === 'rejected' && each.reason),
      );
    });
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    await next(worker, 'active');
    const lease = { queue: 'q', jobId: '1', leaseToken: 't-1' };
    const kind = pb.JobSignalKind.LOCK_LOST;
    stream.send({ $case: 'jobSignal', value: { lease, kind, detail: '' } });
    for (const error of await results.wait()) expect(error).toBeInstanceOf(LeaseLost);
    expect([stream.all('progress'), stream.all('logs')]).toEqual([[], []]);
  });

  it('is found lost after the process was blocked for longer than it lives', async () => {
    const server = new FakeServer();
    const stopped = signal<unknown>('the abort');
    const worker = server.worker(async (_job, { signal: stop }) => {
      block(1_000);
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
      stopped.resolve(stop.reason);
      return 'late';
    });
    const lost = next(worker, 'leaseLost');
    const stream = await server.stream(1);
    stream.opened({}, { keepaliveMs: 60_000 });
    stream.deliver(delivery('1'));
    expect(await stopped.wait()).toBeInstanceOf(LeaseLost);
    await lost;
    expect(stream.all('report')).toEqual([]);
  });
});
