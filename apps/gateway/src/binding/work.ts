import { EchoMQError } from '@echomq/core';
import type { Work, WorkLink } from '@echomq/engine';
import {
  msToDuration,
  WorkerDirectiveAction,
  type WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { toErrorAnswer } from '../status-codes.js';
import type { Binding } from './binding.js';
import { GrpcCallContext } from './call-context.js';
import { credentialOf } from './guard.js';
import { Outbox } from './outbox.js';

type Call = ServerDuplexStream<Buffer, Uint8Array>;

/** The Work stream: gives the engine its end of the link and ends the call as the engine's promise does. */
export function workHandler(binding: Binding<Work>) {
  const { access, reportBug } = binding;
  return (call: Call): void => {
    const context = new GrpcCallContext(call);
    const fail = (error: unknown) => {
      // This is how grpc-js is told to end a stream with a status; what was written before goes out first.
      if (!call.destroyed) call.emit('error', toErrorAnswer(error, reportBug));
    };
    const credential = credentialOf(call);
    const { principal } = credential;
    const link = new GrpcWorkLink(call, {
      maxUnreadMs: binding.maxUnreadMs,
      encode: binding.encode,
      decode: (bytes) => {
        const request = binding.decode(bytes) as WorkRequest;
        binding.check(principal, request);
        return request;
      },
      onFault: (error) => {
        // For the engine the link is broken, as it is when the worker goes away.
        context.abandon();
        fail(error);
      },
    });
    // A run that throws at once ends the call as a rejected one does.
    const running = Promise.resolve().then(() => {
      context.whenOver(access.streams.take(principal.name));
      const watched = {
        credential,
        askAway: () => askAway(link, access.watch.spans.graceMs / 3),
        end: (error: unknown) => link.break(error),
      };
      context.whenOver(access.watch.add(watched));
      return binding.runOf(principal.namespace)(link, context);
    });
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

/** Asks the worker to come again; it keeps what it holds. Spread, so that not all do at one moment. */
function askAway(link: GrpcWorkLink, withinMs: number): void {
  const after = msToDuration(Math.round(Math.random() * withinMs));
  const reason = 'the credentials of this stream have lapsed';
  const value = { action: WorkerDirectiveAction.RECONNECT, after, reason };
  link.send({ message: { $case: 'directive', value } });
}

/** The worker sends and never reads. */
function notReading(): EchoMQError {
  return new EchoMQError('the worker does not read what it is sent', {
    code: 'ABORTED',
    reason: 'WORKER_UNRESPONSIVE',
  });
}

/** What a link is made with. */
interface LinkParts {
  readonly encode: (response: unknown) => Uint8Array;
  /** Throws for what cannot be read, and for what the worker may not ask for. */
  readonly decode: (bytes: Buffer) => WorkRequest;
  readonly maxUnreadMs: number;
  /** Called when {@link decode} throws, when what should go cannot be encoded, and by {@link GrpcWorkLink.break}. */
  readonly onFault: (error: unknown) => void;
}

class GrpcWorkLink implements WorkLink {
  readonly requests: AsyncIterable<WorkRequest>;
  readonly #outbox: Outbox;

  constructor(
    private readonly call: Call,
    private readonly parts: LinkParts,
  ) {
    this.#outbox = new Outbox(call, {
      afterMs: parts.maxUnreadMs,
      end: () => this.break(notReading()),
    });
    this.requests = this.#read();
  }

  get writable(): boolean {
    return this.#outbox.writable;
  }

  send(response: WorkResponse): boolean {
    let bytes: Uint8Array;
    try {
      bytes = this.parts.encode(response);
    } catch (error) {
      // The worker would wait for ever for what cannot be sent: the stream ends, and only this stream.
      this.break(error);
      return false;
    }
    const room = this.#outbox.send(bytes);
    // Answers go out room or none; a worker that never reads them must not fill this process's memory.
    if (this.#outbox.overflows) this.break(notReading());
    return room;
  }

  onWritable(listener: () => void): () => void {
    return this.#outbox.onWritable(listener);
  }

  close(): void {
    this.#outbox.close();
  }

  /** Ends the stream with an error, whatever the engine does. */
  break(error: unknown): void {
    this.close();
    this.parts.onFault(error);
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
        request = this.parts.decode(next.value as Buffer);
      } catch (error) {
        this.break(error);
        return;
      }
      yield request;
    }
    // On a cancel the end is seen a moment before the cancellation: let that arrive first.
    await new Promise(setImmediate);
  }
}
