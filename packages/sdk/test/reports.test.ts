import { EchoMQError } from '@echomq/core';
import { statusOf } from '@echomq/engine';
import * as pb from '@echomq/proto/messages';
import { collect } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../src/index.js';
import { delivery, FakeServer } from './fake-server.js';
import { next } from './places.js';

const refusal = (
  reason: string,
  code: ConstructorParameters<typeof EchoMQError>[1]['code'],
  retryAfterMs?: number,
) =>
  statusOf(
    new EchoMQError('refused', {
      code,
      reason,
      retryable: retryAfterMs !== undefined,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }),
  );

describe('a report', () => {
  it('numbers its reports and says which are answered', async () => {
    const server = new FakeServer();
    server.worker(() => 1, { concurrency: 2 });
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'), delivery('2'));
    const first = await stream.next('report');
    const second = await stream.next('report');
    expect([first.reportId, second.reportId, second.ackedThrough]).toEqual([1, 2, 0]);
    stream.ack(2);
    stream.deliver(delivery('3'));
    expect(await stream.next('report')).toMatchObject({ reportId: 3, ackedThrough: 0 });
    stream.ack(1);
    stream.ack(3);
    stream.deliver(delivery('4'));
    expect(await stream.next('report')).toMatchObject({ reportId: 4, ackedThrough: 3 });
  });

  it('tells of a result only when it is stored', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 'result');
    const told = collect<string>('events');
    worker.on('completed', (job, result) =>
      told.push(`completed ${job.id} ${result} ${job.attemptsMade}`),
    );
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    const { reportId } = await stream.next('report');
    await stream.next('heartbeat');
    expect(told.items).toEqual([]);
    stream.ack(reportId);
    expect(await told.waitFor(1)).toEqual(['completed 1 result 1']);
  });

  it('sends a refused report again under its number when the store was away', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const stored = next(worker, 'completed');
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    expect((await stream.next('report')).reportId).toBe(1);
    stream.refuse(1, refusal('BACKEND_UNAVAILABLE', 'UNAVAILABLE', 20));
    expect((await stream.next('report')).reportId).toBe(1);
    stream.refuse(1, refusal('OUTCOME_UNKNOWN', 'UNKNOWN', 20));
    expect((await stream.next('report')).reportId).toBe(1);
    stream.ack(1);
    await stored;
  });

  it.each(['LOCK_LOST', 'LOCK_NOT_OWNED'])(
    'discards the result on %s and goes on',
    async (reason) => {
      const server = new FakeServer();
      const worker = server.worker(() => 1);
      const lost = next(worker, 'leaseLost');
      const stream = await server.stream(1);
      stream.opened();
      stream.deliver(delivery('1'));
      await stream.next('report');
      stream.refuse(1, refusal(reason, 'FAILED_PRECONDITION'));
      const [job, error] = await lost;
      expect(job.id).toBe('1');
      expect(error).toBeInstanceOf(LeaseLost);
      stream.deliver(delivery('2'));
      expect(await stream.next('report')).toMatchObject({ reportId: 2, ackedThrough: 1 });
      expect(stream.all('report')).toHaveLength(2);
    },
  );

  it('fails a job shortly whose result is refused for its size', async () => {
    const server = new FakeServer();
    const worker = server.worker(() => 1);
    const failed = next(worker, 'failed');
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    await stream.next('report');
    stream.refuse(1, refusal('PAYLOAD_TOO_LARGE', 'INVALID_ARGUMENT'));
    const second = await stream.next('report');
    expect(second.outcome?.kind).toMatchObject({
      $case: 'fail',
      value: { errorName: 'PayloadTooLarge', retry: pb.RetryMode.NEVER },
    });
    stream.ack(second.reportId, pb.Disposition.FAILED);
    expect((await failed)[1].message).toBe('refused');
  });

  it('never sends a result that is over the limit', async () => {
    const server = new FakeServer();
    server.worker(() => 'x'.repeat(1_048_577));
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    const { outcome } = await stream.next('report');
    expect(outcome?.kind).toMatchObject({
      $case: 'fail',
      value: { message: 'returnvalue: 1048579 bytes, the limit is 1048576' },
    });
  });

  it('cuts long errors', async () => {
    const server = new FakeServer();
    server.worker(() => {
      throw new Error('ä'.repeat(5_000_000));
    });
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    const { outcome } = await stream.next('report');
    const kind = outcome?.kind;
    if (kind?.$case !== 'fail') throw new Error('no failure');
    expect(Buffer.byteLength(kind.value.message)).toBeLessThanOrEqual(4_096);
    expect(kind.value.message).toMatch(/^ä+ … \(cut, 5000000 characters\)$/);
    expect(Buffer.byteLength(kind.value.stack.join('\n'))).toBeLessThanOrEqual(8_192);
  });

  it('asks a parent with pending children to wait for them', async () => {
    const server = new FakeServer();
    server.worker(() => 1);
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'));
    await stream.next('report');
    stream.refuse(1, refusal('JOB_HAS_PENDING_CHILDREN', 'FAILED_PRECONDITION'));
    const second = await stream.next('report');
    expect(second.outcome?.kind?.$case).toBe('awaitChildren');
    stream.refuse(2, refusal('JOB_NOT_IN_STATE', 'FAILED_PRECONDITION'));
    expect((await stream.next('report')).outcome?.kind).toEqual({
      $case: 'release',
      value: { toFront: true },
    });
  });
});
