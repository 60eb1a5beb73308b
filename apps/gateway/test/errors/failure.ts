import { BadRequest, durationToMs, ErrorInfo, RetryInfo, Status } from '@echomq/proto/messages';
import { status as codes, type StatusObject } from '@grpc/grpc-js';

/** An error as it came over the wire, taken apart. */
export interface Failure {
  readonly status: string;
  readonly message: string;
  /** `undefined`: it came without an ErrorInfo, so that it was not the gateway that sent it. */
  readonly reason: string | undefined;
  readonly domain: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields of a BadRequest. */
  readonly fields: readonly string[];
  readonly retryMs: number | undefined;
  /** The trailer `grpc-retry-pushback-ms`. */
  readonly pushbackMs: string | undefined;
  /** Every text in it, for a look at what leaked. */
  readonly texts: readonly string[];
}

/** Takes the status of a call apart. */
export function failureFrom({ code, details, metadata }: StatusObject): Failure {
  const [bytes] = metadata.get('grpc-status-details-bin');
  const pushback = metadata.get('grpc-retry-pushback-ms')[0];
  const parts = bytes === undefined ? undefined : Status.decode(bytes as Buffer);
  if (parts && (parts.code !== code || parts.message !== details)) {
    throw new Error(
      `the status says ${code} ${details}, its details ${parts.code} ${parts.message}`,
    );
  }
  return {
    ...failureOfStatus(parts ?? Status.fromPartial({ code, message: details })),
    pushbackMs: pushback === undefined ? undefined : String(pushback),
  };
}

/** Takes a `google.rpc.Status` apart, as it stands in results of bulks and in a `report_ack`. */
export function failureOfStatus({ code, message, details }: Status): Failure {
  const find = (type: string) =>
    details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/google.rpc.${type}`)?.value;
  const [infoBytes, badBytes, retryBytes] = [
    find('ErrorInfo'),
    find('BadRequest'),
    find('RetryInfo'),
  ];
  const info = infoBytes && ErrorInfo.decode(infoBytes);
  const violations = badBytes ? BadRequest.decode(badBytes).fieldViolations : [];
  const delay = retryBytes && RetryInfo.decode(retryBytes).retryDelay;
  return {
    status: codes[code] ?? String(code),
    message,
    reason: info?.reason,
    domain: info?.domain,
    metadata: info?.metadata ?? {},
    fields: violations.map(({ field }) => field),
    retryMs: delay && durationToMs(delay),
    pushbackMs: undefined,
    texts: [
      message,
      ...Object.values(info?.metadata ?? {}),
      ...violations.flatMap(({ field, description }) => [field, description]),
    ],
  };
}
