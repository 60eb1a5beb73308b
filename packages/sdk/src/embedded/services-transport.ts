import { Deadlines } from '@echomq/core/ioredis';
import type { Services } from '@echomq/engine';
import { type EchoMQError, errorOf } from '../errors.js';
import type {
  CallOptions,
  RequestOf,
  ResponseOf,
  Service,
  StreamMethod,
  Transport,
  UnaryMethod,
  WorkStream,
  WorkStreamEvents,
} from '../transport/transport.js';
import { deepFreeze } from './deep-freeze.js';
import { errorFromService } from './error-from-service.js';
import { memoryLink } from './memory-link.js';
import { NearCall } from './near-call.js';

/** How messages are passed. */
export interface ServicesTransportOptions {
  /** Freezes every message on its way, so that a side that changes one fails. For tests. */
  readonly freeze?: boolean;
  /** Calls wait for it: it resolves when the services can work, or soon in any case. */
  readonly ready?: Promise<void>;
  /** Ends the services; called once, last. */
  readonly close?: () => Promise<void>;
}

/** Why the signal of a call aborts that has ended; a reason of its own would be made for each call. */
const ENDED = new Error('the call has ended');

interface AnyCallContext {
  readonly signal: AbortSignal;
  readonly deadline?: number;
}

/** The services of this process as a transport: message objects go from hand to hand. */
export class ServicesTransport implements Transport {
  readonly target = 'the engine in this process';
  readonly repeatsByItself = false;
  readonly near: boolean = true;
  readonly #services: Services;
  readonly #options: ServicesTransportOptions;
  /** How to break each stream that is under way. */
  readonly #running = new Set<() => void>();
  /** The calls that are. */
  readonly #calls = new Deadlines<NearCall>();
  /** Absent once it has resolved. */
  #ready: Promise<void> | undefined;
  #closed = false;

  constructor(services: Services, options: ServicesTransportOptions = {}) {
    this.#services = services;
    this.#options = options;
    this.#ready = options.ready?.then(() => {
      this.#ready = undefined;
    });
  }

  unary<S extends Service, M extends UnaryMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    options: CallOptions,
  ): Promise<ResponseOf<S, M>> {
    if (this.#closed) return Promise.reject(closedError());
    const call = new NearCall<ResponseOf<S, M>>(options, this.#calls as Deadlines);
    // Until then the caller's time runs.
    if (this.#ready) void this.#ready.then(() => this.#run(call, service, method, request));
    else this.#run(call, service, method, request);
    return call.answer;
  }

  #run<S extends Service, M extends UnaryMethod<S>>(
    call: NearCall<ResponseOf<S, M>>,
    service: S,
    method: M,
    request: RequestOf<S, M>,
  ): void {
    const run = this.#services[service] as unknown as Record<
      string,
      (request: unknown, context: AnyCallContext) => Promise<ResponseOf<S, M>>
    >;
    const failed = (error: unknown) => call.failed(errorFromService(error));
    try {
      const answer = run[method]?.(this.#pass(request), call);
      answer?.then((response) => call.done(this.#pass(response)), failed);
    } catch (error) {
      failed(error);
    }
  }

  async *serverStream<S extends Service, M extends StreamMethod<S>>(
    service: S,
    method: M,
    request: RequestOf<S, M>,
    signal?: AbortSignal,
  ): AsyncIterable<ResponseOf<S, M>> {
    const call = this.#begin(signal);
    const run = this.#services[service] as unknown as Record<
      string,
      (request: unknown, context: AnyCallContext) => AsyncIterable<ResponseOf<S, M>>
    >;
    try {
      await this.#ready;
      const messages = run[method]?.(this.#pass(request), { signal: call.signal }) ?? [];
      for await (const message of messages) yield this.#pass(message);
    } catch (error) {
      throw errorFromService(error);
    } finally {
      call.end();
    }
  }

  async work(events: WorkStreamEvents): Promise<WorkStream> {
    const call = this.#begin();
    const link = memoryLink(events, (message) => this.#pass(message));
    call.signal.addEventListener('abort', () => link.breakOff(closedError()), { once: true });
    const serve = async () => this.#services.worker.work(link.server, { signal: link.broken });
    serve()
      .then(
        () => link.ended(),
        (error: unknown) => link.ended(errorFromService(error)),
      )
      .finally(call.forget);
    return link.worker;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const end of this.#running) end();
    for (const call of this.#calls.all()) call.breakOff();
    this.#calls.close();
    await this.#options.close?.();
  }

  /** A call begins: its signal aborts when the caller's does, when it has ended, and when this transport closes. */
  #begin(caller?: AbortSignal) {
    if (this.#closed) throw closedError();
    const controller = new AbortController();
    const abort = () => controller.abort(caller?.reason);
    const forget = () => {
      this.#running.delete(abort);
      caller?.removeEventListener('abort', abort);
    };
    this.#running.add(abort);
    if (caller?.aborted) abort();
    else caller?.addEventListener('abort', abort, { once: true });
    const end = () => {
      forget();
      controller.abort(ENDED);
    };
    return { signal: controller.signal, end, forget };
  }

  #pass<T>(message: T): T {
    return this.#options.freeze ? deepFreeze(message) : message;
  }
}

function closedError(): EchoMQError {
  return errorOf('the connection is closed', { code: 'CANCELLED', reason: 'CONNECTION_CLOSED' });
}
