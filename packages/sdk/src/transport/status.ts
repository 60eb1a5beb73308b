import {
  BadRequest,
  durationToMs,
  ERROR_DOMAIN,
  ErrorInfo,
  RetryInfo,
  Status,
} from '@echomq/proto/messages';
import { type EchoMQError, errorOf, type StatusCode } from '../errors.js';

/**
 * The one file of the SDK that knows status numbers and `google.rpc.Status`: the mirror of the gateway's. Loads no
 * gRPC, because statuses also come inside messages (reports, items of a bulk).
 */
const CODES: readonly (StatusCode | 'OK')[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
];

/** The name of a status number. UNAUTHENTICATED is 16; 15 (DATA_LOSS) and what is not known become UNKNOWN. */
export function codeName(code: number): StatusCode {
  if (code === 16) return 'UNAUTHENTICATED';
  const name = CODES[code];
  return name === undefined || name === 'OK' ? 'UNKNOWN' : name;
}

interface Decoded {
  info?: ErrorInfo;
  field?: string;
  retryAfterMs?: number;
}

/** The error that a `google.rpc.Status` stands for. */
export function errorFromStatus(status: Status, cause?: unknown): EchoMQError {
  const { info, field, retryAfterMs } = decodeDetails(status);
  const metadata = { ...(field === undefined ? {} : { field }), ...info?.metadata };
  return errorOf(status.message, {
    code: codeName(status.code),
    reason: info?.reason ?? '',
    retryable: retryAfterMs !== undefined || isAmbiguous(status.code, info),
    retryAfterMs,
    metadata,
    cause,
  });
}

/** The status in a `grpc-status-details-bin` trailer; undefined if it is absent or not readable. */
export function statusFromTrailer(bytes: Uint8Array | string | undefined): Status | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    return Status.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without a word from the gateway, a broken connection or an unknown outcome may pass by itself. */
function isAmbiguous(code: number, info: ErrorInfo | undefined): boolean {
  const name = codeName(code);
  return info === undefined ? name === 'UNAVAILABLE' : info.reason === 'OUTCOME_UNKNOWN';
}

function decodeDetails(status: Status): Decoded {
  const decoded: Decoded = {};
  for (const { typeUrl, value } of status.details) {
    try {
      decodeDetail(typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value, decoded);
    } catch {
      // A detail that cannot be read hides nothing: code and message stand.
    }
  }
  return decoded;
}

function decodeDetail(type: string, value: Uint8Array, into: Decoded): void {
  if (type === 'google.rpc.ErrorInfo') {
    const info = ErrorInfo.decode(value);
    if (info.domain === ERROR_DOMAIN) into.info = info;
  } else if (type === 'google.rpc.BadRequest') {
    const field = BadRequest.decode(value).fieldViolations[0]?.field;
    if (field !== undefined) into.field = field;
  } else if (type === 'google.rpc.RetryInfo') {
    into.retryAfterMs = durationToMs(RetryInfo.decode(value).retryDelay) ?? 0;
  }
}
