import type * as pb from '@echomq/proto/messages';
import type { EchoMQError } from '../errors.js';
import type { ActiveJob } from './active-job.js';

/**
 * `buffered`: delivered, its handler has not begun. `running`: it has. `reported`: it has ended, and the server has not
 * answered yet. `over`: the job is no longer held; a handler that still runs is not listened to.
 */
export type HoldPhase = 'buffered' | 'running' | 'reported' | 'over';

/** A job in this worker's hands, from its delivery to the answer to its report. */
export class HeldJob<Data, Result> {
  readonly lease: pb.JobLease;
  readonly delivered: pb.DeliveredJob;
  #controller: AbortController | undefined;
  phase: HoldPhase = 'buffered';
  /** Until when, by `performance.now()`, the job surely is nobody else's. */
  safeUntil: number;
  /** Until when the lock of the delivery lives; counts once a heartbeat that names the job is answered. */
  readonly lockUntil: number;
  /** The first heartbeat that named it. */
  firstSeq: number | undefined;
  /** Set when the handler begins. */
  job: ActiveJob<Data, Result> | undefined;
  /** Told when the answer to its report is there, or none will come: see {@link Runs}. */
  settled: ((error?: EchoMQError) => void) | undefined;
  /** What the log has and the server has not been sent. */
  unsentLines: string[] = [];
  /** The progress last reported. */
  lastProgress: Buffer | undefined;
  /** The progress that the server has not been sent. */
  unsentProgress: Buffer | undefined;

  /** @param spans how long the lock lives, and how long the server waits to hear that the job is accepted; ms */
  constructor(
    lease: pb.JobLease,
    delivered: pb.DeliveredJob,
    spans: { readonly lockMs: number; readonly acceptMs: number },
  ) {
    const now = performance.now();
    this.lease = lease;
    this.delivered = delivered;
    this.safeUntil = now + Math.min(spans.acceptMs, spans.lockMs);
    this.lockUntil = now + spans.lockMs;
  }

  /** Ends its handler. Made when somebody asks for it: most handlers look at no signal. */
  get controller(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }

  /** Its handler runs. */
  get runs(): boolean {
    return this.phase === 'running';
  }

  /** Why it is no longer held, once it is not. */
  get lostBy(): EchoMQError | undefined {
    return this.phase === 'over'
      ? (this.controller.signal.reason as EchoMQError | undefined)
      : undefined;
  }
}
