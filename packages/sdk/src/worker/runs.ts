import * as pb from '@echomq/proto/messages';
import { JobCancelled } from '../errors.js';
import { tracedRun, traceFinish } from '../telemetry/run-spans.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { ActiveJob } from './active-job.js';
import type { HeldJob } from './held-job.js';
import { HeldPort, type PortHost } from './hold-port.js';
import { loadData } from './load-data.js';
import type { OpenStream } from './open-stream.js';
import { type RunEnd, released } from './outcomes.js';
import { retryWish } from './retry-delay.js';
import { type RunRules, runHandler } from './run-handler.js';
import type { SessionSetup } from './session-setup.js';
import type { HandlerContext } from './worker-options.js';

/** What runs ask of the session, and tell it. */
export interface RunEvents<Data, Result> {
  live(): OpenStream | undefined;
  whenUp(): Promise<void>;
  maxResultBytes(): number;
  /** A handler has come to its end. */
  onEnd(held: HeldJob<Data, Result>, end: RunEnd): void;
}

const DEFAULT_RATE_LIMIT_MS = 1_000;

/** The handlers at work, and what the worker's listeners hear of them. */
export class Runs<Data, Result> {
  readonly #setup: SessionSetup<Data, Result>;
  readonly #events: RunEvents<Data, Result>;
  #count = 0;
  readonly #ports: PortHost<Data, Result>;
  readonly #rules: RunRules<Data, Result>;
  /** How long a queue is held where a RateLimitError names no time. */
  rateLimitMs = DEFAULT_RATE_LIMIT_MS;

  constructor(setup: SessionSetup<Data, Result>, events: RunEvents<Data, Result>) {
    this.#setup = setup;
    this.#events = events;
    const { maxResultBytes } = events;
    this.#ports = {
      live: events.live,
      whenUp: events.whenUp,
      maxProgressBytes: maxResultBytes,
      onProgress: ({ job }, value) => job && setup.tell('progress', job, value),
    };
    const onProblem = (problem: unknown) =>
      setup.tell('error', problem instanceof Error ? problem : new Error(String(problem)));
    this.#rules = {
      maxResultBytes,
      rateLimitMs: () => this.rateLimitMs,
      retry: (job, thrown) => retryWish(setup.backoffStrategy, job, thrown, onProblem),
    };
  }

  /** Handlers that have not come to their end. */
  get count(): number {
    return this.#count;
  }

  /**
   * Runs the handler for each. They begin in a later turn: one that blocks must not hold the heartbeat back. A server in
   * this process stands still with it, and reads the heartbeat before its next tick: there they begin at once.
   */
  run(jobs: readonly HeldJob<Data, Result>[]): void {
    this.#count += jobs.length;
    const begin = () => {
      for (const held of jobs) void this.#run(held).then((end) => this.#ended(held, end));
    };
    if (this.#setup.connection.transport.near) queueMicrotask(begin);
    else setImmediate(begin);
  }

  /** The server has stored how a run ended. */
  stored(held: HeldJob<Data, Result>, { told }: RunEnd, result: pb.FinishResult): void {
    const { job } = held;
    held.settled?.();
    if (job === undefined) return;
    const { attemptsMade } = result;
    const final = result.disposition === pb.Disposition.FAILED;
    if (told.as === 'completed' && !final) {
      job.settled({ attemptsMade, finishedAt: new Date() });
      this.#setup.tell('completed', job, told.result as Result);
    } else if (told.as === 'failed' || final) {
      const cancelled = final && (told.as !== 'failed' || isCancelled(held));
      const error = told.as === 'failed' && !cancelled ? told.error : cancellation(held);
      const failedReason = cancelled ? CANCELLED : error.message;
      job.settled({ attemptsMade, failedReason, ...(final && { finishedAt: new Date() }) });
      this.#setup.tell('failed', job, error, { final });
    } else {
      job.settled({ attemptsMade });
    }
  }

  #ended(held: HeldJob<Data, Result>, end: RunEnd): void {
    this.#count -= 1;
    this.#events.onEnd(held, end);
  }

  #run(held: HeldJob<Data, Result>): Promise<RunEnd> {
    return held.delivered.dataOmitted ? this.#loaded(held) : this.#begun(held, held.delivered);
  }

  async #loaded(held: HeldJob<Data, Result>): Promise<RunEnd> {
    const { transport } = this.#setup.connection;
    const delivered = await loadData(transport, held.delivered, held.controller.signal);
    return 'outcome' in delivered ? delivered : this.#begun(held, delivered);
  }

  #begun(held: HeldJob<Data, Result>, delivered: pb.DeliveredJob): Promise<RunEnd> {
    // Lost before it has begun: there is nothing to stop and nothing to report.
    if (held.phase !== 'running') return Promise.resolve(released({ toFront: true }));
    const { connection, handler, telemetry, tell } = this.#setup;
    const port = new HeldPort(held, this.#ports);
    const job = new ActiveJob<Data, Result>(connection, delivered, port);
    held.job = job;
    tell('active', job);
    if (!telemetry) return runHandler(handler, job, contextOf(held), this.#rules);
    const run = () => runHandler(handler, job, contextOf(held), this.#rules);
    return this.#traced(telemetry, held, run);
  }

  async #traced(
    telemetry: Telemetry,
    held: HeldJob<Data, Result>,
    run: () => Promise<RunEnd>,
  ): Promise<RunEnd> {
    const { delivered } = held;
    const { end, headers: parent } = await tracedRun(telemetry, delivered, run);
    // Lost meanwhile: there is nothing to report.
    if (held.phase !== 'running') return end;
    const done = new Promise<void>((resolve, reject) => {
      held.settled = (error) => (error ? reject(error) : resolve());
    });
    traceFinish(telemetry, delivered, { parent, done });
    return end;
  }
}

/** What a handler gets besides the job; the signal is made when it asks for it. */
function contextOf<Data, Result>(held: HeldJob<Data, Result>): HandlerContext {
  return new RunContext(held);
}

class RunContext {
  constructor(private readonly held: { readonly controller: AbortController }) {}

  get signal(): AbortSignal {
    return this.held.controller.signal;
  }
}

/** What the server stores as the reason. */
const CANCELLED = 'cancelled';

/** Somebody has asked for it: then the job is not told as failed by what its handler threw when it stopped. */
function isCancelled<Data, Result>({ controller }: HeldJob<Data, Result>): boolean {
  return controller.signal.reason instanceof JobCancelled;
}

/** The server has ended a job whose handler had not failed: somebody had asked for that. */
function cancellation<Data, Result>({ controller }: HeldJob<Data, Result>): Error {
  const { reason } = controller.signal;
  if (reason instanceof Error) return reason;
  return new JobCancelled('the job was cancelled', { code: 'ABORTED', reason: 'CANCEL_REQUESTED' });
}
