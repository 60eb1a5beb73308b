import { ContractBroken, EchoMQError, InvalidRequest, StoreUnavailable } from '@echomq/core';
import {
  BadRequest,
  Code,
  ErrorInfo,
  isErrorReasonName,
  RetryInfo,
  Status,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { cutText } from '../../src/messages/cut-text.js';
import { errorReport, statusOf } from '../../src/messages/status.js';

/** The details of a status, decoded, by the last part of their type. */
function details(status: Status): Record<string, unknown> {
  const types: Record<string, { decode(bytes: Uint8Array): unknown }> = {
    ErrorInfo,
    BadRequest,
    RetryInfo,
  };
  return Object.fromEntries(
    status.details.map(({ typeUrl, value }) => {
      expect(typeUrl).toMatch(/^type\.googleapis\.com\/google\.rpc\./);
      const type = typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
      return [type, types[type]?.decode(value)];
    }),
  );
}

describe('statusOf', () => {
  it('tells the field of a bad request', () => {
    const status = statusOf(new InvalidRequest('options.delay', 'must be positive'));
    expect([status.code, status.message]).toEqual([
      Code.INVALID_ARGUMENT,
      'options.delay: must be positive',
    ]);
    expect(details(status)).toMatchObject({
      ErrorInfo: {
        domain: 'echomq',
        reason: 'INVALID_FIELD',
        metadata: { field: 'options.delay' },
      },
      BadRequest: {
        fieldViolations: [{ field: 'options.delay', description: 'must be positive' }],
      },
    });
    expect(Status.decode(Status.encode(status).finish())).toEqual(status);
  });

  it('tells when to come again', () => {
    const status = statusOf(new StoreUnavailable('the store cannot be reached', false));
    expect(status.code).toBe(Code.UNAVAILABLE);
    expect(details(status)).toMatchObject({
      ErrorInfo: { reason: 'BACKEND_UNAVAILABLE' },
      RetryInfo: { retryDelay: { seconds: 0, nanos: 500_000_000 } },
    });
    expect(errorReport(new StoreUnavailable('x', true))).toMatchObject({
      code: 'UNKNOWN',
      reason: 'OUTCOME_UNKNOWN',
    });
  });

  it.each([
    ['a broken script', new ContractBroken('addJob-9.lua failed', new Error('bull:q:secret ERR'))],
    ['any error', new Error('ERR bull:q:secret at user_script:3')],
    ['no error', 'bull:q:secret'],
  ])('tells nothing of %s but an id', (_, error) => {
    const status = statusOf(error);
    const { metadata, reason } = details(status).ErrorInfo as ErrorInfo;
    expect([status.code, reason]).toEqual([Code.INTERNAL, 'SCRIPT_ERROR']);
    expect(status.message).toBe(`internal error ${metadata.id}`);
    expect(JSON.stringify(status)).not.toMatch(/secret|lua/);
  });

  it('gives one error one id', () => {
    const error = new Error('x');
    expect(errorReport(error).id).toBe(errorReport(error).id);
    expect(errorReport(error).id).not.toBe(errorReport(new Error('x')).id);
  });

  it('cuts what is long, and stays under 8 KiB', () => {
    const field = `f${'é'.repeat(10_000)}`;
    const status = statusOf(new InvalidRequest(field, 'x'.repeat(10_000)));
    expect(Buffer.byteLength(status.message)).toBeLessThanOrEqual(4_096);
    expect(Status.encode(status).finish().length).toBeLessThanOrEqual(8_192 * 0.75);
  });

  it('knows only reasons of the contract in what it makes up itself', () => {
    expect(isErrorReasonName(errorReport(new Error('x')).reason)).toBe(true);
    const unknown = new EchoMQError('x', { code: 'NOT_FOUND', reason: 'JOB_NOT_FOUND' });
    expect(errorReport(unknown)).toMatchObject({ code: 'NOT_FOUND', reason: 'JOB_NOT_FOUND' });
  });
});

describe('cutText', () => {
  it('cuts between characters', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abcdef', 5)).toBe('ab…');
    expect(cutText('é😀é😀', 9)).toBe('é😀…');
    expect(cutText('😀😀😀', 8)).toBe('😀…');
  });
});
