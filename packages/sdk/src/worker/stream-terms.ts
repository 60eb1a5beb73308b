import * as pb from '@echomq/proto/messages';

/** What the server said as it opened the stream, in ms. */
export interface StreamTerms {
  /** How often this side sends a heartbeat: twice within the span that the server demands. */
  readonly heartbeatMs: number;
  /** A stream that is silent for longer is dead. */
  readonly silenceMs: number;
  /** How long a lease surely lives after a heartbeat that was answered: locks are renewed each third of their life. */
  readonly sureMs: number;
  /** Bound on a result, in bytes. */
  readonly maxResultBytes: number;
}

const MAX_RESULT_BYTES = 1_048_576;

/** The terms; what an older server leaves out is derived from the lock. */
export function termsOf(opened: pb.WorkOpened, lockMs: number): StreamTerms {
  const heartbeatMs = positive(opened.heartbeatInterval) ?? lockMs / 3;
  const keepaliveMs = positive(opened.keepaliveInterval) ?? 15_000;
  return {
    heartbeatMs: heartbeatMs / 2,
    silenceMs: keepaliveMs * 2.5,
    sureMs: positive(opened.livenessTimeout) ?? (lockMs * 2) / 3,
    maxResultBytes: opened.serverInfo?.limits?.maxReturnValueBytes || MAX_RESULT_BYTES,
  };
}

function positive(duration: pb.Duration | undefined): number | undefined {
  const ms = pb.durationToMs(duration);
  return ms !== undefined && ms > 0 ? ms : undefined;
}
