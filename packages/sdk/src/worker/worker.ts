import { connectionOf } from '../connection.js';
import { SafeEmitter } from '../events/safe-emitter.js';
import { checkNames } from '../payload/known-names.js';
import { durationOf } from '../payload/numbers.js';
import { RateLimitError } from './control-errors.js';
import { WorkerSession } from './session.js';
import {
  checkConcurrency,
  checkHandler,
  checkLimiter,
  checkLock,
  checkQueues,
  type SessionSetup,
  workerInfo,
} from './session-setup.js';
import {
  type BackoffStrategy,
  type Handler,
  WORKER_OPTION_NAMES as OPTION_NAMES,
  type WorkerEvents,
  type WorkerOptions,
} from './worker-options.js';

/** How a worker is closed. */
export interface CloseOptions {
  /**
   * How long running handlers may take, in ms. After it their jobs are given back, no attempt counted, and their signals
   * abort; `close` does not wait for them any more. Without it: as long as they need.
   */
  readonly timeoutMs?: number;
}

/** How long the server may take for the last words. */
const FAREWELL_MS = 2_000;

/**
 * Takes jobs from queues and runs a handler for each, up to `concurrency` at once, over one stream to the gateway. It
 * reconnects by itself after any failure and keeps what it runs meanwhile.
 *
 * @example
 * const worker = new Worker<Mail, string>('mails', async (job, { signal }) => send(job.data, signal), {
 *   connection,
 *   concurrency: 10,
 * });
 */
export class Worker<Data = unknown, Result = unknown>
  extends SafeEmitter<WorkerEvents<Data, Result>>
  implements AsyncDisposable
{
  /** Throw it to hold the queue; see {@link rateLimit}. */
  static readonly RateLimitError = RateLimitError;
  /** The queues that it serves. */
  readonly queueNames: readonly string[];
  /** The name under which it is listed. */
  readonly name: string;
  readonly #setup: SessionSetup<Data, Result>;
  readonly #session: WorkerSession<Data, Result>;
  readonly #forget: () => void;
  #concurrency: number;
  #started = false;
  #paused = false;
  #closing: Promise<void> | undefined;

  /** @throws InvalidRequest naming the option that cannot be used */
  constructor(
    queues: string | readonly string[],
    handler: Handler<Data, Result>,
    options: WorkerOptions,
  ) {
    super();
    this.queueNames = checkQueues(queues);
    const connection = connectionOf(options);
    checkNames(options, OPTION_NAMES, { field: 'options', what: 'an option of a worker' });
    this.#concurrency = checkConcurrency(options.concurrency);
    const info = workerInfo(options);
    this.name = info.name;
    this.#setup = {
      connection,
      queues: this.queueNames,
      handler: checkHandler(handler),
      backoffStrategy: options.backoffStrategy as BackoffStrategy<Data, Result> | undefined,
      telemetry: options.telemetry,
      lockMs: checkLock(options.lockDuration),
      rateLimit: checkLimiter(options.limiter),
      info,
      tell: (name, ...args) => this.tell(name, ...args),
    };
    this.#session = new WorkerSession(this.#setup, this.#concurrency);
    this.#forget = connection.hold(this);
    // Listeners that are added in the same turn hear everything.
    if (options.autorun ?? true) queueMicrotask(() => this.run());
  }

  /** How many handlers may run at once. May be changed at any time. */
  get concurrency(): number {
    return this.#concurrency;
  }

  set concurrency(value: number) {
    this.#concurrency = checkConcurrency(value);
    this.#session.resize(this.#concurrency);
  }

  /** Handlers that run now. */
  get running(): number {
    return this.#session.handlers;
  }

  /** Whether it takes no jobs for now: {@link pause} was called. */
  get isPaused(): boolean {
    return this.#paused;
  }

  /** Whether {@link close} was called. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Begins, if `autorun` was false. More calls do nothing. */
  run(): void {
    if (this.#started || this.#closing !== undefined) return;
    this.#started = true;
    this.#session.start();
  }

  /** Resolves when a stream to the gateway is up, or the worker is closed. */
  async waitUntilReady(): Promise<void> {
    await this.#session.until(() => this.#session.up || this.#session.over);
  }

  /**
   * Takes no more jobs until {@link resume}; other workers go on.
   *
   * @param options `wait: false`: returns at once; else when no handler runs any more
   */
  async pause({ wait = true }: { readonly wait?: boolean } = {}): Promise<void> {
    if (!this.#paused) {
      this.#paused = true;
      this.#session.take(false);
      this.tell('paused');
    }
    if (wait) await this.#session.until(() => this.#session.handlers === 0 || !this.#paused);
  }

  /** Takes jobs again. */
  resume(): void {
    if (!this.#paused || this.#closing !== undefined) return;
    this.#paused = false;
    this.#session.take(true);
    this.tell('resumed');
  }

  /**
   * For a handler whose service has had enough: `throw worker.rateLimit(60_000)` gives the job back, no attempt counted,
   * and holds its queue so long, for all workers.
   *
   * @param ms how long
   * @throws InvalidRequest for what is no span
   */
  rateLimit(ms: number): RateLimitError {
    durationOf(ms, 'ms');
    this.#session.rateLimitMs = ms;
    return new RateLimitError(ms);
  }

  /**
   * Ends the worker: it takes nothing more, waits for its handlers while it keeps their leases, has all reports
   * acknowledged and leaves. More calls wait for the first. Never rejects.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close({ timeoutMs = Number.POSITIVE_INFINITY }: CloseOptions): Promise<void> {
    this.tell('closing');
    const session = this.#session;
    session.take(false);
    const limit = performance.now() + timeoutMs;
    const finished = await session.until(() => session.handlers === 0, timeoutMs);
    if (!finished) session.giveBackAll();
    // A report that nobody answers while its lock lives is not answered any more.
    const leftMs = Math.min(Math.max(limit - performance.now(), FAREWELL_MS), this.#session.lockMs);
    await session.until(() => session.held === 0 || session.over, leftMs);
    await session.leave(FAREWELL_MS);
    this.#forget();
    this.tell('closed');
  }
}
