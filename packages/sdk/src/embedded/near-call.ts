import { Deadline, type Deadlines } from '@echomq/core/ioredis';
import type { CallOptions } from '../transport/transport.js';
import { cancelled, tooLate } from '../transport/within-time.js';

/** Why the signal of a call aborts that has ended; a reason of its own would be made for each call. */
const ENDED = new Error('the call has ended');

/** A call to the services of this process, and what they are told of it. Its signal is made when somebody asks for it. */
export class NearCall<Response = unknown> extends Deadline {
  /** See the engine's `CallContext`. */
  readonly near = true;
  /** When it ends, ms since the epoch. */
  readonly deadline: number;
  readonly at: number;
  /** What the caller waits for. */
  readonly answer: Promise<Response>;
  #controller: AbortController | undefined;
  #reason: unknown;
  #over = false;
  #resolve: (response: Response) => void = ignore;
  #reject: (error: unknown) => void = ignore;
  #onAbort: (() => void) | undefined;

  /** @param watch the deadlines of all calls that are under way */
  constructor(
    private readonly options: CallOptions,
    private readonly watch: Deadlines,
  ) {
    super();
    const { timeoutMs, signal } = options;
    this.deadline = Date.now() + timeoutMs;
    this.at = performance.now() + timeoutMs;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    watch.add(timeoutMs, this);
    if (!signal) return;
    this.#onAbort = () => this.#end(cancelled(signal.reason), signal.reason);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborts when the caller no longer waits. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Whether the caller no longer waits. */
  get gone(): boolean {
    return this.#reason !== undefined;
  }

  /** The answer is there. */
  done(response: Response): void {
    if (this.#forget()) this.#resolve(response);
  }

  /** It has failed. */
  failed(error: unknown): void {
    this.#end(error, ENDED);
  }

  late(): void {
    this.#end(tooLate(this.options.timeoutMs), ENDED);
  }

  /** The connection is closed. */
  breakOff(): void {
    this.#end(cancelled(), ENDED);
  }

  #end(error: unknown, reason: unknown): void {
    if (!this.#forget()) return;
    this.#reason = reason ?? ENDED;
    this.#controller?.abort(this.#reason);
    this.#reject(error);
  }

  /** True the first time. */
  #forget(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.watch.forget(this);
    if (this.#onAbort) this.options.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

function ignore(): void {}
