import {
  ContractBroken,
  EchoMQError as EngineError,
  InvalidRequest as EngineInvalid,
  StoreFull,
  StoreUnavailable,
} from '@echomq/core';
import { statusOf } from '@echomq/engine';
import { Code, ERROR_REASON_NAMES, Status } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { errorFromService } from '../src/embedded/error-from-service.js';
import * as sdk from '../src/index.js';
import { codeName, errorFromStatus, statusFromTrailer } from '../src/transport/status.js';

const CLASSES: Readonly<Record<string, unknown>> = {
  LOCK_LOST: sdk.LeaseLost,
  LOCK_NOT_OWNED: sdk.LeaseLost,
  JOB_NOT_FOUND: sdk.JobNotFound,
  QUEUE_NOT_FOUND: sdk.QueueNotFound,
  JOB_NOT_IN_STATE: sdk.JobNotInState,
  PAYLOAD_TOO_LARGE: sdk.PayloadTooLarge,
  OUTCOME_UNKNOWN: sdk.OutcomeUnknown,
};

/** Each reason through the gateway's file, over the wire, through the SDK's. */
describe('every reason comes through', () => {
  it.each(ERROR_REASON_NAMES)('%s', (reason) => {
    const error = new EngineError('in words', {
      code: 'FAILED_PRECONDITION',
      reason,
      metadata: { queue: 'q', jobId: '7' },
      retryAfterMs: 250,
    });
    const status = Status.decode(Status.encode(statusOf(error)).finish());
    for (const decoded of [errorFromStatus(status), errorFromService(error)]) {
      expect(decoded).toBeInstanceOf(CLASSES[reason] ?? sdk.EchoMQError);
      expect(decoded).toMatchObject({
        message: 'in words',
        code: 'FAILED_PRECONDITION',
        reason,
        metadata: { queue: 'q', jobId: '7' },
        retryAfterMs: 250,
      });
    }
  });
});

describe('every error of the engine becomes one of the SDK', () => {
  it.each([
    [new EngineInvalid('options.delay', 'is negative'), sdk.InvalidRequest, false],
    [
      new EngineInvalid('data', 'too large', 'PAYLOAD_TOO_LARGE', {
        limitBytes: '10',
        actualBytes: '11',
      }),
      sdk.PayloadTooLarge,
      false,
    ],
    [new StoreUnavailable('gone', false), sdk.Unavailable, true],
    [new StoreUnavailable('gone', true), sdk.OutcomeUnknown, true],
    [new StoreFull(), sdk.Overloaded, true],
  ])('%s', (error, Class, retryable) => {
    const overWire = errorFromStatus(Status.decode(Status.encode(statusOf(error)).finish()));
    const inProcess = errorFromService(error);
    for (const decoded of [overWire, inProcess]) {
      expect(decoded).toBeInstanceOf(Class);
      expect(decoded).toMatchObject({ code: error.code, reason: error.reason, retryable });
    }
    expect(inProcess.cause).toBe(error);
  });

  it('names the field', () => {
    const error = errorFromStatus(statusOf(new EngineInvalid('options.delay', 'is negative')));
    expect((error as sdk.InvalidRequest).field).toBe('options.delay');
  });

  it('tells the sizes', () => {
    const metadata = { limitBytes: '10', actualBytes: '11' };
    const refusal = new EngineInvalid('data', 'too large', 'PAYLOAD_TOO_LARGE', metadata);
    expect(errorFromStatus(statusOf(refusal))).toMatchObject({ limitBytes: 10, actualBytes: 11 });
  });

  it('tells nothing of a bug', () => {
    for (const bug of [new ContractBroken('redis.call line 7'), new TypeError('x is undefined')]) {
      const decoded = errorFromService(bug);
      expect(decoded).toMatchObject({ code: 'INTERNAL', reason: 'SCRIPT_ERROR' });
    }
  });
});

describe('codes', () => {
  it('have the names of the registry', () => {
    for (const [name, number] of Object.entries(Code)) {
      if (number > 0 && number !== Code.DATA_LOSS) expect(codeName(number)).toBe(name);
    }
    expect([codeName(0), codeName(15), codeName(99)]).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN']);
  });

  it('without a word of the gateway, UNAVAILABLE may pass and nothing else', () => {
    const bare = (code: number) => errorFromStatus({ code, message: 'x', details: [] });
    expect(bare(14)).toMatchObject({ code: 'UNAVAILABLE', reason: '', retryable: true });
    expect(bare(8)).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: '', retryable: false });
    expect(bare(13)).toMatchObject({ code: 'INTERNAL', reason: '', retryable: false });
  });

  it('a trailer that cannot be read is none', () => {
    expect(statusFromTrailer(undefined)).toBeUndefined();
    expect(statusFromTrailer('text')).toBeUndefined();
    expect(statusFromTrailer(Buffer.from([0xff, 0xff]))).toBeUndefined();
  });
});
