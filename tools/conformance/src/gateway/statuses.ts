import {
  ERROR_DOMAIN,
  ErrorInfo,
  type ErrorReasonName,
  msToDuration,
  RetryInfo,
  Status,
} from '@echomq/proto/messages';
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';

/** The status of each reason that the played gateway answers with. */
const CODES: Partial<Record<ErrorReasonName, status>> = {
  BACKEND_UNAVAILABLE: status.UNAVAILABLE,
  CREDENTIALS_EXPIRED: status.UNAUTHENTICATED,
  GATEWAY_DRAINING: status.UNAVAILABLE,
  JOB_NOT_FOUND: status.NOT_FOUND,
  LOCK_LOST: status.FAILED_PRECONDITION,
  LOCK_NOT_OWNED: status.FAILED_PRECONDITION,
  PAYLOAD_TOO_LARGE: status.INVALID_ARGUMENT,
  PROTOCOL_VIOLATION: status.INVALID_ARGUMENT,
  SESSION_SUPERSEDED: status.ABORTED,
  WORKER_UNRESPONSIVE: status.ABORTED,
};

/** A `google.rpc.Status` whose code is one of gRPC's. */
type PlayedStatus = Status & { readonly code: status };

/** A status as it stands in a message; with RetryInfo where a time is given. */
export function statusOf(reason: ErrorReasonName, retryAfterMs?: number): PlayedStatus {
  const info = ErrorInfo.fromPartial({ reason, domain: ERROR_DOMAIN });
  const details = [any('google.rpc.ErrorInfo', ErrorInfo.encode(info).finish())];
  if (retryAfterMs !== undefined) {
    const retry = RetryInfo.encode({ retryDelay: msToDuration(retryAfterMs) }).finish();
    details.push(any('google.rpc.RetryInfo', retry));
  }
  const code = CODES[reason] ?? status.INTERNAL;
  return { code, message: `played: ${reason}`, details };
}

/** A status as a stream or a call ends with it. */
export function endOf(reason: ErrorReasonName, retryAfterMs?: number): Partial<StatusObject> {
  const { code, message, details } = statusOf(reason, retryAfterMs);
  const metadata = new Metadata();
  metadata.set(
    'grpc-status-details-bin',
    Buffer.from(Status.encode({ code, message, details }).finish()),
  );
  return { code, details: message, metadata };
}

/** A status without a word from a gateway, as transports and proxies make them. */
export function bareEnd(code: status): Partial<StatusObject> {
  return { code, details: 'played', metadata: new Metadata() };
}

function any(type: string, value: Uint8Array) {
  return { typeUrl: `type.googleapis.com/${type}`, value: Buffer.from(value) };
}
