import { EchoMQError } from '@echomq/core';
import type { Lapse } from './principal.js';

/** The call shows no credentials. */
export function credentialsMissing(): EchoMQError {
  return refused('CREDENTIALS_MISSING', 'no credentials: send a bearer token as `authorization`');
}

/** The credentials are none that this gateway takes. The text says no more, so that nobody learns by trying. */
export function credentialsInvalid(): EchoMQError {
  return refused('CREDENTIALS_INVALID', 'the credentials are not valid here');
}

/** The credentials were valid and are no longer. */
export function credentialsExpired(): EchoMQError {
  return refused('CREDENTIALS_EXPIRED', 'the credentials have expired');
}

/** What ends a stream whose credentials lapsed. */
export function lapsed(lapse: NonNullable<Lapse>): EchoMQError {
  return lapse === 'EXPIRED' ? credentialsExpired() : credentialsInvalid();
}

/** The principal may not do this to this queue. */
export function queueAccessDenied(verb: string, queue: string): EchoMQError {
  return new EchoMQError(`may not ${verb} on queue ${JSON.stringify(queue.slice(0, 128))}`, {
    code: 'PERMISSION_DENIED',
    reason: 'QUEUE_ACCESS_DENIED',
    metadata: { verb, queue },
  });
}

/** Server reflection is for administrators. */
export function reflectionDenied(): EchoMQError {
  return new EchoMQError('server reflection needs the right to administer', {
    code: 'PERMISSION_DENIED',
    reason: 'QUEUE_ACCESS_DENIED',
    metadata: { verb: 'admin', queue: '' },
  });
}

/** The metadata of a call is larger than it may be. */
export function metadataTooLarge(limit: number): EchoMQError {
  return new EchoMQError(`metadata: has more than ${limit} bytes`, {
    code: 'INVALID_ARGUMENT',
    reason: 'INVALID_FIELD',
    metadata: { field: 'metadata', limitBytes: String(limit) },
  });
}

/** As much as the whole gateway carries at one time is under way. */
export function serverFull(what: 'streams' | 'waiters', limit: number): EchoMQError {
  const reason = what === 'streams' ? 'TOO_MANY_STREAMS' : 'TOO_MANY_WAITERS';
  return full(reason, `the gateway has its most ${what}`, { limit: String(limit) });
}

/** As much as one principal may have at one time is under way. */
export function quotaExceeded(what: 'streams' | 'waiters', limit: number): EchoMQError {
  const facts = { quota: what, limit: String(limit) };
  return full('QUOTA_EXCEEDED', `this principal has its most ${what}`, facts);
}

/** Nothing was read for so long from a stream that is full. */
export function unreadTooLong(limitMs: number): EchoMQError {
  const facts = { quota: 'unread', limitMs: String(limitMs) };
  return full('QUOTA_EXCEEDED', 'nothing is read from this stream, and it is full', facts);
}

function full(reason: string, message: string, metadata: Readonly<Record<string, string>>) {
  const code = 'RESOURCE_EXHAUSTED';
  return new EchoMQError(message, { code, reason, retryable: true, retryAfterMs: 1_000, metadata });
}

function refused(reason: string, message: string): EchoMQError {
  return new EchoMQError(message, { code: 'UNAUTHENTICATED', reason });
}
