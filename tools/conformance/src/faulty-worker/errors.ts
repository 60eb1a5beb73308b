import { durationToMs, ErrorInfo, RetryInfo, Status } from '@echomq/proto/messages';
import type { Metadata } from '@grpc/grpc-js';

/** What an error says besides its text. */
export interface ErrorFacts {
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
}

/** The facts in a status that came inside a message. */
export function factsOf({ details }: Status): ErrorFacts {
  let reason = '';
  let retryAfterMs: number | undefined;
  for (const { typeUrl, value } of details) {
    if (typeUrl.endsWith('ErrorInfo')) reason = ErrorInfo.decode(value).reason;
    if (typeUrl.endsWith('RetryInfo')) {
      retryAfterMs = durationToMs(RetryInfo.decode(value).retryDelay);
    }
  }
  return { reason, retryAfterMs };
}

/** The facts in the trailers of a call. */
export function factsOfTrailers(metadata: Metadata): ErrorFacts {
  const [bytes] = metadata.get('grpc-status-details-bin');
  return bytes instanceof Buffer
    ? factsOf(Status.decode(bytes))
    : { reason: '', retryAfterMs: undefined };
}
