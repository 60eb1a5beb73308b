import * as pb from '@echomq/proto/messages';

/** What the server said as it opened the stream, in ms. */
export interface StreamTerms {
  /** Life of a lock. */
  readonly lockMs: number;
  /** How often this side sends a heartbeat: twice within the span that the server demands. */
  readonly heartbeatMs: number;
  /** A stream that is silent for longer is dead. */
  readonly silenceMs: number;
  /** How long a lease surely lives after a heartbeat that was answered: locks are renewed each third of their life. */
  readonly sureMs: number;
  /** A delivery that no heartbeat is heard to name goes to somebody else after so long. */
  readonly acceptMs: number;
  /** Bound on a result, in bytes. */
  readonly maxResultBytes: number;
  /** A heartbeat may name only what it adds to the last ones. */
  readonly heartbeatMore: boolean;
}

const MAX_RESULT_BYTES = 1_048_576;
const DEFAULT_LOCK_MS = 30_000;

/**
 * The terms; what an older server leaves out is derived from the lock.
 *
 * @param askedLockMs the lock that this worker asked for, if it did
 */
export function termsOf(opened: pb.WorkOpened, askedLockMs: number | undefined): StreamTerms {
  const announcedMs = positive(opened.heartbeatInterval);
  const lockMs = askedLockMs ?? (announcedMs === undefined ? DEFAULT_LOCK_MS : announcedMs * 3);
  const heartbeatMs = announcedMs ?? lockMs / 3;
  const keepaliveMs = positive(opened.keepaliveInterval) ?? 15_000;
  return {
    lockMs,
    heartbeatMs: heartbeatMs / 2,
    silenceMs: keepaliveMs * 2.5,
    sureMs: positive(opened.livenessTimeout) ?? (lockMs * 2) / 3,
    acceptMs: positive(opened.acceptTimeout) ?? Math.min(5_000, lockMs / 3),
    maxResultBytes: opened.serverInfo?.limits?.maxReturnValueBytes || MAX_RESULT_BYTES,
    heartbeatMore: opened.serverInfo?.capabilities.heartbeatMore ?? false,
  };
}

function positive(duration: pb.Duration | undefined): number | undefined {
  const ms = pb.durationToMs(duration);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/** The terms before a server has spoken. */
export const FIRST_TERMS: StreamTerms = termsOf(pb.WorkOpened.create(), undefined);
