import { EchoMQError } from '@echomq/core';
import type { Work, WorkLink } from '@echomq/engine';
import type { WorkRequest, WorkResponse } from '@echomq/proto/messages';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type ErrorAnswer, toErrorAnswer } from '../status-codes.js';
import { GrpcCallContext } from './call-context.js';
import { readable } from './codec.js';
import { Outbox } from './outbox.js';
import type { Binding } from './unary.js';

type Call = ServerDuplexStream<unknown, Uint8Array>;

/** The Work stream: gives the engine its end of the link and ends the call as the engine's promise does. */
export function workHandler({ run, encode, reportBug }: Binding<Work>) {
  return (call: Call): void => {
    const context = new GrpcCallContext(call);
    const link = new GrpcWorkLink(call, context, encode);
    const end = (failed: boolean, error?: unknown) => {
      const cause = link.fault ?? (failed ? { error } : undefined);
      const wasGone = context.gone && !link.fault;
      link.close();
      context.settle();
      if (!cause) call.end();
      else if (!wasGone || cause.error instanceof EchoMQError) {
        fail(call, toErrorAnswer(cause.error, reportBug));
      }
    };
    // A run that throws at once must end the call as a rejected one does.
    Promise.resolve()
      .then(() => run(link, context))
      .then(
        () => end(false),
        (error: unknown) => end(true, error),
      );
  };
}

/** How grpc-js is told to end a stream with a status: what was written goes out first. */
function fail(call: Call, answer: ErrorAnswer): void {
  if (!call.destroyed) call.emit('error', answer);
}

class GrpcWorkLink implements WorkLink {
  readonly requests: AsyncIterable<WorkRequest>;
  /** What went wrong on the link itself; the stream ends with it whatever the engine says. */
  fault: { readonly error: unknown } | undefined;
  readonly #outbox: Outbox;

  constructor(
    private readonly call: Call,
    private readonly context: GrpcCallContext,
    private readonly encode: (response: unknown) => Uint8Array,
  ) {
    this.#outbox = new Outbox(call);
    this.requests = this.#read();
  }

  get writable(): boolean {
    return this.#outbox.writable;
  }

  send(response: WorkResponse): boolean {
    let bytes: Uint8Array;
    try {
      bytes = this.encode(response);
    } catch (error) {
      // The worker would wait for ever for what cannot be sent: the stream ends, and only this stream.
      this.fault ??= { error };
      this.context.abandon();
      return false;
    }
    return this.#outbox.send(bytes);
  }

  onWritable(listener: () => void): () => void {
    return this.#outbox.onWritable(listener);
  }

  close(): void {
    this.#outbox.close();
  }

  /**
   * Reads only when asked, which keeps the peer's flow control alive. `destroyOnReturn` would take the sending side
   * down with the reading one. A broken link ends the iteration as a closed one does.
   */
  async *#read(): AsyncGenerator<WorkRequest> {
    try {
      for await (const message of this.call.iterator({ destroyOnReturn: false })) {
        yield this.#checked(message);
      }
    } catch (error) {
      if (this.fault) throw error;
    }
    // On a cancel the end is seen a moment before the cancellation: let that arrive first.
    await new Promise(setImmediate);
  }

  #checked(message: unknown): WorkRequest {
    try {
      return readable(message) as WorkRequest;
    } catch (error) {
      this.fault ??= { error };
      throw error;
    }
  }
}
