import { EchoMQError, InvalidRequest } from '@echomq/core';
import type { JobSignalKind } from '@echomq/proto/messages';
import type { Holding, SessionEffect } from './effects.js';

/** Tells a worker what happened to a job that it holds. */
export function jobSignal(
  { queue, jobId, token }: Pick<Holding, 'queue' | 'jobId' | 'token'>,
  kind: JobSignalKind,
  detail = '',
): SessionEffect {
  const lease = { queue, jobId, leaseToken: token };
  return { kind: 'send', message: { $case: 'jobSignal', value: { lease, kind, detail } } };
}

/** The lease that a report names is none that this session holds. */
export function leaseLost(): EchoMQError {
  return new EchoMQError('the lease has ended: it expired, or the job was finished', {
    code: 'FAILED_PRECONDITION',
    reason: 'LOCK_LOST',
  });
}

/** The number of a report stands for another report. */
export function reportIdReused(): EchoMQError {
  return new EchoMQError('this report_id was used for another report of the session', {
    code: 'ABORTED',
    reason: 'REQUEST_ID_REUSED',
  });
}

/** The worker was silent for too long. */
export function unresponsive(): EchoMQError {
  return new EchoMQError('nothing was heard from the worker within the liveness timeout', {
    code: 'ABORTED',
    reason: 'WORKER_UNRESPONSIVE',
  });
}

/** A newer stream of the same session has taken its place. */
export function superseded(): EchoMQError {
  return new EchoMQError('another stream of this session has a higher epoch', {
    code: 'ABORTED',
    reason: 'SESSION_SUPERSEDED',
  });
}

/** The server is about to leave; nothing was done. */
export function gatewayDraining(): EchoMQError {
  return new EchoMQError('the server is about to leave; connect to another', {
    code: 'UNAVAILABLE',
    reason: 'GATEWAY_DRAINING',
    retryable: true,
    retryAfterMs: 500,
  });
}

/** As many streams are open as may be. */
export function tooManyStreams(max: number): EchoMQError {
  return new EchoMQError('too many streams are open', {
    code: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_MANY_STREAMS',
    retryable: true,
    retryAfterMs: 1_000,
    metadata: { limit: String(max) },
  });
}

/** As many polls wait as may be. */
export function tooManyWaiters(max: number): EchoMQError {
  return new EchoMQError('too many calls wait', {
    code: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_MANY_WAITERS',
    retryable: true,
    retryAfterMs: 1_000,
    metadata: { limit: String(max) },
  });
}

/** The error for a message that the protocol does not allow. */
export function violation(field: string, problem: string): InvalidRequest {
  return new InvalidRequest(field, problem, 'PROTOCOL_VIOLATION');
}
