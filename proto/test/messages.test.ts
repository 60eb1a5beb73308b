import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { expect, test } from 'vitest';
import {
  Any,
  DeliveredJob,
  Disposition,
  ERROR_DOMAIN,
  ERROR_REASON_NAMES,
  ErrorInfo,
  FetchJobsRequest,
  FinishJobRequest,
  FinishJobResponse,
  isErrorReasonName,
  JobOptions,
  msToDuration,
  Status,
  WorkReportAck,
  WorkRequest,
  WorkResponse,
} from '../src/messages.js';

const lease = { queue: 'orders', jobId: '7', leaseToken: 't1' };

test('a payload travels byte for byte, broken UTF-8 included', () => {
  const data = Buffer.from([0x7b, 0x22, 0xff, 0xc3, 0x28, 0x00, 0x22, 0x7d]);
  const sent = DeliveredJob.create({
    lease,
    name: 'charge',
    data,
    headers: { traceparent: '00-1' },
  });
  const read = DeliveredJob.decode(DeliveredJob.encode(sent).finish());
  expect(read).toEqual(sent);
  expect(Buffer.compare(read.data, data)).toBe(0);
});

test('an outcome travels with the case that was set', () => {
  const sent = FinishJobRequest.create({
    lease,
    outcome: {
      kind: {
        $case: 'fail',
        value: { errorName: 'TypeError', message: 'é', retryDelay: msToDuration(1_500) },
      },
    },
    logs: ['a', 'b'],
    requestId: 'r1',
  });
  const read = FinishJobRequest.decode(FinishJobRequest.encode(sent).finish());
  expect(read).toEqual(sent);
  expect(read.outcome?.kind?.$case).toBe('fail');
});

test('FinishJob and a report of the stream carry the same outcome bytes', () => {
  const outcome = {
    kind: {
      $case: 'delay' as const,
      value: { due: { $case: 'delay' as const, value: msToDuration(20) }, skipAttempt: true },
    },
  };
  const unary = FinishJobRequest.create({ lease, outcome });
  const report = WorkRequest.create({
    message: { $case: 'report', value: { reportId: 4_294_967_295, lease, outcome } },
  });
  const read = WorkRequest.decode(WorkRequest.encode(report).finish());
  if (read.message?.$case !== 'report') throw new Error('not a report');
  expect(read.message.value.outcome).toEqual(unary.outcome);
  expect(read.message.value.reportId).toBe(4_294_967_295);
});

test('optional fields tell absent from zero', () => {
  const zero = JobOptions.decode(JobOptions.encode(JobOptions.create({ priority: 0 })).finish());
  const absent = JobOptions.decode(JobOptions.encode(JobOptions.create()).finish());
  expect([zero.priority, absent.priority]).toEqual([0, undefined]);
  const now = FetchJobsRequest.create({ wait: msToDuration(0) });
  expect(FetchJobsRequest.decode(FetchJobsRequest.encode(now).finish()).wait).toEqual({
    seconds: 0,
    nanos: 0,
  });
  expect(FetchJobsRequest.decode(new Uint8Array()).wait).toBeUndefined();
});

test('an instant travels to the millisecond', () => {
  const at = new Date(1_700_000_000_123);
  const sent = JobOptions.create({ due: { $case: 'runAt', value: at } });
  expect(JobOptions.decode(JobOptions.encode(sent).finish()).due).toEqual({
    $case: 'runAt',
    value: at,
  });
});

test('a case that this version does not know reads as undefined', () => {
  const FIELD_99_LENGTH_DELIMITED = (99 << 3) | 2;
  const future = new BinaryWriter()
    .uint32(FIELD_99_LENGTH_DELIMITED)
    .bytes(Buffer.from('later'))
    .finish();
  expect(WorkRequest.decode(future).message).toBeUndefined();
  expect(WorkResponse.decode(future).message).toBeUndefined();
  const acked = WorkReportAck.encode(WorkReportAck.create({ reportId: 3 })).finish();
  expect(WorkReportAck.decode(Buffer.concat([acked, future]))).toMatchObject({ reportId: 3 });
});

test('a value that this version does not know reads as its number', () => {
  const sent = FinishJobResponse.create({ result: { disposition: 99 as Disposition } });
  const read = FinishJobResponse.decode(FinishJobResponse.encode(sent).finish());
  expect(read.result?.disposition).toBe(99);
  expect(Object.values(Disposition)).not.toContain(99);
});

test('an error travels as a Status with an ErrorInfo', () => {
  const info = ErrorInfo.create({
    domain: ERROR_DOMAIN,
    reason: 'LOCK_LOST',
    metadata: { job_id: '7' },
  });
  const detail = Any.create({
    typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
    value: Buffer.from(ErrorInfo.encode(info).finish()),
  });
  const status = Status.decode(
    Status.encode(Status.create({ code: 9, message: 'gone', details: [detail] })).finish(),
  );
  const [first] = status.details;
  expect(status.code).toBe(9);
  expect(ErrorInfo.decode(first?.value ?? Buffer.alloc(0))).toEqual(info);
});

test('the names of reasons are what ErrorInfo demands, each once', () => {
  expect(ERROR_REASON_NAMES).toContain('LOCK_LOST');
  expect(new Set(ERROR_REASON_NAMES).size).toBe(ERROR_REASON_NAMES.length);
  for (const name of ERROR_REASON_NAMES) expect(name).toMatch(/^[A-Z][A-Z0-9_]{1,61}[A-Z0-9]$/);
  expect(['UNSPECIFIED', 'UNRECOGNIZED', 'toString', 'LOCK_LOST'].map(isErrorReasonName)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
