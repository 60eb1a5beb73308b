import { randomUUID } from 'node:crypto';
import { EchoMQError, InvalidRequest, type StatusCode } from '@echomq/core';
import {
  type Any,
  BadRequest,
  Code,
  ERROR_DOMAIN,
  ErrorInfo,
  msToDuration,
  RetryInfo,
  type Status,
} from '@echomq/proto/messages';
import { cutText } from './cut-text.js';

/** An error as a caller gets it: over gRPC in the trailers, in a bulk as the status of an item. */
export interface ErrorReport {
  /** Canonical name; `Code` has its number. */
  readonly code: StatusCode;
  /** For people, at most 4 KiB. */
  readonly message: string;
  /** The `ErrorInfo.reason` on which clients branch. */
  readonly reason: string;
  /** `ErrorInfo`, then `BadRequest` where a field is at fault, then `RetryInfo` where a wait helps. */
  readonly details: readonly Any[];
  /** When a retry is worth while, in ms from now. */
  readonly retryAfterMs?: number;
  /** Stands in the metadata of an internal error: what it is about is in the log under this id alone. */
  readonly id?: string;
}

/** The whole must fit into the 8 KiB that HTTP/2 peers allow for trailers. */
const MAX_MESSAGE_BYTES = 4_096;
const MAX_DESCRIPTION_BYTES = 512;
const MAX_METADATA_BYTES = 256;

/**
 * What may be told of an error. Anything that is no `EchoMQError`, and our own bugs, are told as SCRIPT_ERROR with an id:
 * no text of a script, key or stack leaves the process.
 */
export function errorReport(error: unknown): ErrorReport {
  if (!(error instanceof EchoMQError) || error.code === 'INTERNAL') return internalReport(error);
  const { code, reason, metadata, retryAfterMs } = error;
  const message = cutText(error.message, MAX_MESSAGE_BYTES);
  const details = [errorInfo(reason, metadata)];
  if (code === 'INVALID_ARGUMENT') details.push(badRequest(error));
  if (retryAfterMs !== undefined) details.push(retryInfo(retryAfterMs));
  return {
    code,
    message,
    reason,
    details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** An error as `google.rpc.Status`. */
export function statusOf(error: unknown): Status {
  const { code, message, details } = errorReport(error);
  return { code: Code[code], message, details: [...details] };
}

/** One id per error, so that the answer and the log name the same. */
const ids = new WeakMap<object, string>();

function idOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return randomUUID();
  let id = ids.get(error);
  if (id === undefined) {
    id = randomUUID();
    ids.set(error, id);
  }
  return id;
}

function internalReport(error: unknown): ErrorReport {
  const id = idOf(error);
  return {
    code: 'INTERNAL',
    message: `internal error ${id}`,
    reason: 'SCRIPT_ERROR',
    details: [errorInfo('SCRIPT_ERROR', { id })],
    id,
  };
}

function errorInfo(reason: string, given: Readonly<Record<string, string>>): Any {
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    metadata[name] = cutText(value, MAX_METADATA_BYTES);
  }
  const info = { reason, domain: ERROR_DOMAIN, metadata };
  return any('ErrorInfo', ErrorInfo.encode(info).finish());
}

function badRequest(error: EchoMQError): Any {
  const field = error instanceof InvalidRequest ? error.field : (error.metadata.field ?? '');
  const prefix = `${field}: `;
  const problem = error.message.startsWith(prefix)
    ? error.message.slice(prefix.length)
    : error.message;
  const violation = BadRequest.fromPartial({
    fieldViolations: [
      {
        field: cutText(field, MAX_METADATA_BYTES),
        description: cutText(problem, MAX_DESCRIPTION_BYTES),
        reason: error.reason,
      },
    ],
  });
  return any('BadRequest', BadRequest.encode(violation).finish());
}

function retryInfo(ms: number): Any {
  return any('RetryInfo', RetryInfo.encode({ retryDelay: msToDuration(ms) }).finish());
}

function any(type: string, value: Uint8Array): Any {
  return { typeUrl: `type.googleapis.com/google.rpc.${type}`, value: Buffer.from(value) };
}
