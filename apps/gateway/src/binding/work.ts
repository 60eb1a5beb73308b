import type { Work, WorkLink } from '@echomq/engine';
import type { WorkRequest, WorkResponse } from '@echomq/proto/messages';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { toErrorAnswer } from '../status-codes.js';
import { GrpcCallContext } from './call-context.js';
import { readable } from './codec.js';
import { Outbox } from './outbox.js';
import type { Binding } from './unary.js';

type Call = ServerDuplexStream<unknown, Uint8Array>;

/** The Work stream: gives the engine its end of the link and ends the call as the engine's promise does. */
export function workHandler({ run, encode, reportBug }: Binding<Work>) {
  return (call: Call): void => {
    const context = new GrpcCallContext(call);
    const fail = (error: unknown) => {
      // This is how grpc-js is told to end a stream with a status; what was written before goes out first.
      if (!call.destroyed) call.emit('error', toErrorAnswer(error, reportBug));
    };
    const link = new GrpcWorkLink(call, encode, (error) => {
      // For the engine the link is broken, as it is when the worker goes away.
      context.abandon();
      fail(error);
    });
    // A run that throws at once ends the call as a rejected one does.
    const running = Promise.resolve().then(() => run(link, context));
    running.then(
      () => {
        link.close();
        if (context.gone) return;
        context.settle();
        call.end();
      },
      (error: unknown) => {
        link.close();
        if (context.isAbort(error)) return;
        context.settle();
        fail(error);
      },
    );
  };
}

class GrpcWorkLink implements WorkLink {
  readonly requests: AsyncIterable<WorkRequest>;
  readonly #outbox: Outbox;

  constructor(
    private readonly call: Call,
    private readonly encode: (response: unknown) => Uint8Array,
    /** Called when what came cannot be read, or what should go cannot be encoded. */
    private readonly onFault: (error: unknown) => void,
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
      this.#break(error);
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

  #break(error: unknown): void {
    this.close();
    this.onFault(error);
  }

  /**
   * Reads only when asked, which keeps the peer's flow control alive. `destroyOnReturn` would take the sending side
   * down with the reading one. A broken link, however it broke, ends the iteration as a closed one does.
   */
  async *#read(): AsyncGenerator<WorkRequest> {
    const messages = this.call.iterator({ destroyOnReturn: false });
    for (;;) {
      const next = await messages.next().catch(() => ({ done: true, value: undefined }) as const);
      if (next.done) break;
      let request: WorkRequest;
      try {
        request = readable(next.value) as WorkRequest;
      } catch (error) {
        this.#break(error);
        return;
      }
      yield request;
    }
    // On a cancel the end is seen a moment before the cancellation: let that arrive first.
    await new Promise(setImmediate);
  }
}
