import { type ErrorReport, errorReport } from '@echomq/engine';
import { Status } from '@echomq/proto/messages';
import { status as codes, Metadata } from '@grpc/grpc-js';

/**
 * The one file that knows gRPC's codes: what a call ends with when it ends with an error. Its mirror in the SDK turns
 * the answer back into the same error.
 */

/** What grpc-js sends: status, message, trailers. */
export interface ErrorAnswer {
  readonly code: codes;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Notes a bug of ours in the log, under the id that its caller was given. */
export type ReportBug = (id: string, error: unknown) => void;

/**
 * Longest message on the wire, in bytes of UTF-8. It travels twice, percent-encoded (up to threefold) in
 * `grpc-message` and in base64 inside the details, and all trailers together must pass where headers may have 8 KiB.
 */
const MESSAGE_BYTES = 1_024;

/**
 * The answer for an error. What is not an `EchoMQError`, and what is one with INTERNAL, is our own bug: it goes to the
 * log with its text and stack, and the caller gets an id that finds it there.
 */
export function toErrorAnswer(error: unknown, reportBug: ReportBug): ErrorAnswer {
  const report = errorReport(error);
  if (report.id !== undefined) reportBug(report.id, error);
  const code = codes[report.code];
  // grpc-js percent-encodes the message itself, and throws on half a surrogate pair: `cut` leaves none.
  const details = cut(report.message, MESSAGE_BYTES);
  return { code, details, metadata: trailers(code, details, report) };
}

/** The reasons of the answers that were made, by their trailers. */
const reasons = new WeakMap<Metadata, string>();

/** The reason of an answer of {@link toErrorAnswer}, by its trailers. */
export const reasonOf = (trailers: Metadata): string | undefined => reasons.get(trailers);

function trailers(code: codes, message: string, report: ErrorReport): Metadata {
  const metadata = new Metadata();
  reasons.set(metadata, report.reason);
  const status = Status.encode({ code, message, details: [...report.details] }).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(status));
  if (report.retryAfterMs !== undefined) {
    metadata.set('grpc-retry-pushback-ms', String(Math.ceil(report.retryAfterMs)));
  }
  return metadata;
}

/** At most so many bytes of UTF-8, cut between characters and marked with an ellipsis; well formed. */
function cut(text: string, bytes: number): string {
  const head = text.slice(0, bytes + 1).toWellFormed();
  if (text.length <= bytes && Buffer.byteLength(head) <= bytes) return head;
  let room = bytes - Buffer.byteLength('…');
  let kept = '';
  for (const character of head) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept}…`;
}
