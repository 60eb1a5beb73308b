import {
  ContractBroken,
  EchoMQError,
  InvalidRequest,
  REJECTIONS,
  rejectionOf,
  type StatusCode,
  StoreFull,
  StoreUnavailable,
  TransitionRejected,
} from '@echomq/core';
import { AddJobRequest } from '@echomq/proto/messages';
import { ProducerServiceClient } from '@echomq/proto/services';
import { describe, expect, it } from 'vitest';
import { failureOf, takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { serving } from './serving.js';

const request = AddJobRequest.fromPartial({ queue: 'q', name: 'n' });

/** What a client sees of an error that the engine throws. */
async function overTheWire(error: unknown) {
  const engine = new FakeEngine({
    producer: {
      addJob: async () => {
        throw error;
      },
    },
  });
  const { client, log } = await serving(engine);
  const producer = client(ProducerServiceClient);
  const failure = await failureOf(unary((done) => producer.addJob(request, done)));
  return { ...takenApart(failure), log: log.lines };
}

const CODES: readonly StatusCode[] = [
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNAVAILABLE',
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'UNIMPLEMENTED',
];

describe('an error of the engine', () => {
  it.each(CODES)('%s arrives with its reason and facts', async (code) => {
    const metadata = { queue: 'q', jobId: '7' };
    const error = new EchoMQError('no', { code, reason: 'QUOTA_EXCEEDED', metadata });
    expect(await overTheWire(error)).toMatchObject({
      status: code,
      message: 'no',
      sameInDetails: true,
      info: { domain: 'echomq', reason: 'QUOTA_EXCEEDED', metadata },
      retryMs: undefined,
      pushbackMs: undefined,
      log: [],
    });
  });

  it('names the field of a bad request', async () => {
    const error = new InvalidRequest('options.delay', 'must not be negative');
    expect(await overTheWire(error)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      info: { reason: 'INVALID_FIELD', metadata: { field: 'options.delay' } },
      violations: [['options.delay', 'must not be negative']],
    });
  });

  it.each(Object.values(REJECTIONS).map(rejectionOf))('rejection %s', async (reason) => {
    if (!reason) throw new Error('a code without a name');
    const error = new TransitionRejected('moveToFinished', reason, { queue: 'q', jobId: '7' });
    expect(await overTheWire(error)).toMatchObject({
      status: error.code,
      info: { reason, metadata: { queue: 'q', job_id: '7' } },
      log: [],
    });
  });

  it.each([
    [new StoreUnavailable('away', false), 'UNAVAILABLE', 'BACKEND_UNAVAILABLE', 500],
    [new StoreUnavailable('broke', true), 'UNKNOWN', 'OUTCOME_UNKNOWN', undefined],
    [new StoreFull(), 'RESOURCE_EXHAUSTED', 'BACKEND_OUT_OF_MEMORY', 1_000],
  ])('%s', async (error, status, reason, retryMs) => {
    expect(await overTheWire(error)).toMatchObject({
      status,
      info: { reason },
      retryMs,
      pushbackMs: retryMs === undefined ? undefined : String(retryMs),
    });
  });
});

describe('a bug of ours', () => {
  it.each([
    ['an error', new TypeError("Cannot read 'bull:q:wait' of undefined")],
    ['a broken contract', new ContractBroken('ERR user_script:12: bull:q:wait')],
    ['no error at all', 'bull:q:wait'],
  ])('%s is told as an id and logged whole', async (_what, error) => {
    const seen = await overTheWire(error);
    const id = seen.info?.metadata.id;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen).toMatchObject({
      status: 'INTERNAL',
      message: `internal error ${id}`,
      info: { reason: 'SCRIPT_ERROR', metadata: { id } },
      log: [{ level: 'error', event: 'internal.error', facts: { id } }],
    });
    const { err } = (seen.log[0]?.facts ?? {}) as { err?: Error };
    expect(err?.message).toContain('bull:q:wait');
  });
});

describe('T119 non-ASCII status text: text of any kind arrives decoded, or shortened', () => {
  const long = '任務失敗 🚫\n100% '.repeat(6_000);

  it.each([
    ['CJK', '任務の鍵が失われました'],
    ['emoji', 'no 🚫 👩‍👩‍👧'],
    ['newlines and percents', 'a\nb\r\n%41 100% \t é'],
    ['empty', ''],
  ])('%s', async (_what, text) => {
    const error = new EchoMQError(text, { code: 'NOT_FOUND', reason: 'JOB_NOT_FOUND' });
    expect(await overTheWire(error)).toMatchObject({ message: text, sameInDetails: true });
  });

  it('half a surrogate pair', async () => {
    const error = new EchoMQError('a\uD83Db', { code: 'NOT_FOUND', reason: 'JOB_NOT_FOUND' });
    expect(await overTheWire(error)).toMatchObject({ status: 'NOT_FOUND', message: 'a\uFFFDb' });
  });

  it('100 KB of it', async () => {
    expect(Buffer.byteLength(long)).toBeGreaterThan(100_000);
    const metadata = { queue: long, job_id: long };
    const seen = await overTheWire(
      new EchoMQError(long, { code: 'NOT_FOUND', reason: 'JOB_NOT_FOUND', metadata }),
    );
    expect(seen).toMatchObject({ status: 'NOT_FOUND', info: { reason: 'JOB_NOT_FOUND' } });
    expect(Buffer.byteLength(seen.message)).toBeLessThanOrEqual(1_024);
    expect(seen.message).toMatch(/^任務失敗 🚫\n100% .*…$/s);
    expect(seen.message).not.toContain('\uFFFD');
  });

  it('a long reason for a bad field', async () => {
    const seen = await overTheWire(new InvalidRequest(long, long));
    expect(seen).toMatchObject({ status: 'INVALID_ARGUMENT', info: { reason: 'INVALID_FIELD' } });
    expect(seen.violations).toHaveLength(1);
  });
});
