/** The spans of the terms that the played gateway announces, and what it allows itself to wait; ms. */
export interface Spans {
  /** Life of a lock. The rest of the terms follow from it as a real gateway derives them. */
  readonly lockMs: number;
  readonly heartbeatMs: number;
  readonly livenessMs: number;
  readonly acceptMs: number;
  readonly resumeMs: number;
  readonly keepaliveMs: number;
  /** A worker's process may take so long from its start to its first stream. */
  readonly startMs: number;
  /** A worker may take so long to answer to what it is told. */
  readonly reactMs: number;
  /** What must not happen is watched for so long. */
  readonly watchMs: number;
}

/** @param patience 1 on a quiet machine; everything but the start takes so many times longer */
export function spansOf(patience: number): Spans {
  const lockMs = 3_000 * patience;
  return {
    lockMs,
    heartbeatMs: lockMs / 3,
    livenessMs: (lockMs * 2) / 3,
    acceptMs: lockMs / 3,
    resumeMs: lockMs / 2,
    keepaliveMs: 1_000 * patience,
    startMs: 20_000 * patience,
    reactMs: 2_000 * patience,
    watchMs: 1_500 * patience,
  };
}
