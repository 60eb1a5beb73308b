import type { Connection } from '../connection.js';
import type { EchoMQError } from '../errors.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { ActiveJob } from './active-job.js';

/** What a handler gets besides the job. */
export interface HandlerContext {
  /**
   * Aborts when this run no longer counts: its reason is a `LeaseLost`, `JobCancelled` or `WorkerClosed`. Stop then;
   * nothing that the handler returns or throws afterwards is taken (but a cancelled job still waits for its end).
   */
  readonly signal: AbortSignal;
}

/** Does the work of one job. What it returns is the job's result; what it throws fails the attempt. */
export type Handler<Data, Result> = (
  job: ActiveJob<Data, Result>,
  context: HandlerContext,
) => Promise<Result> | Result;

/**
 * How long a failed job waits whose backoff has a name that no gateway knows, with the arguments of BullMQ's.
 *
 * @param attemptsMade attempts that have ended, the one that failed included
 * @param type the name of the backoff
 * @returns ms until the next attempt; less than 0: the failure is final
 */
export type BackoffStrategy<Data = unknown, Result = unknown> = (
  attemptsMade: number,
  type: string,
  error: Error,
  job: ActiveJob<Data, Result>,
) => number | Promise<number>;

/** How a worker works. */
export interface WorkerOptions {
  /** From `connect` or `embedded`. The worker does not close it. */
  readonly connection: Connection;
  /**
   * Handlers that may run at once, over all its queues; 1 by default. While handlers end sooner than the next job comes, as
   * many jobs again may wait at the worker.
   */
  readonly concurrency?: number;
  /**
   * Life of the locks, in ms, 1,000 to 3,600,000; 30,000 by default. They are renewed while the worker is heard: a
   * shorter one finds a dead worker sooner, and a long job needs no long one.
   */
  readonly lockDuration?: number;
  /** A name for people, stored with the jobs that it takes; the host's name by default. */
  readonly name?: string;
  /** Takes at most `max` jobs per `duration` ms from each queue, over all workers that say the same. */
  readonly limiter?: { readonly max: number; readonly duration: number };
  /**
   * Asked when a job fails that has attempts left and a backoff other than `fixed` and `exponential`. Without it, and
   * when it fails, the gateway's own named backoffs count; a name that it does not know fails the job for good. The
   * gateway's cap on delays (24 h by default) holds here too.
   */
  readonly backoffStrategy?: BackoffStrategy;
  /**
   * Traces what is run, below the span that added the job: `openTelemetry()` of `@echomq/sdk/otel`. Nothing is traced
   * without it.
   */
  readonly telemetry?: Telemetry | undefined;
  /** Begins at once; true by default. Else call `run`. */
  readonly autorun?: boolean;
  /** What is to be listed with the worker. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** @internal What a worker can be told; anything else is a mistake, or an option of BullMQ that has no place here. */
export const WORKER_OPTION_NAMES: ReadonlySet<string> = new Set<keyof WorkerOptions>([
  ...(['connection', 'concurrency', 'lockDuration', 'name', 'limiter'] as const),
  ...(['backoffStrategy', 'telemetry', 'autorun', 'labels'] as const),
]);

/** The events of a worker, with what their listeners get. */
export interface WorkerEvents<Data, Result> {
  /** A stream to the gateway is up; again after each reconnect. */
  ready: [];
  /** A handler is about to begin. */
  active: [job: ActiveJob<Data, Result>];
  /** A job's result is stored. */
  completed: [job: ActiveJob<Data, Result>, result: Result];
  /** A job's failure is stored; `job.attemptsMade` counts it, `final` says that no attempt is left. */
  failed: [job: ActiveJob<Data, Result>, error: Error, details: { readonly final: boolean }];
  /** A handler has reported progress. */
  progress: [job: ActiveJob<Data, Result>, progress: unknown];
  /** A job is no longer this worker's; its result is discarded. */
  leaseLost: [job: ActiveJob<Data, Result>, error: EchoMQError];
  /** Nothing is left to do, after there was. Told with the gateway's next sign of life. */
  drained: [];
  /** The stream is gone or could not be opened; the worker tries again by itself. */
  disconnected: [error: EchoMQError | undefined];
  /** The worker takes no more jobs. */
  paused: [];
  /** The worker takes jobs again. */
  resumed: [];
  /** `close` was called. */
  closing: [];
  /** The worker has ended. */
  closed: [];
  /** Something went wrong that no call can throw; the worker goes on. */
  error: [error: Error];
}
