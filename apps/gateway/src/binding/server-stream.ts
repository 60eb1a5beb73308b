import type { ServerStream } from '@echomq/engine';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { toErrorAnswer } from '../status-codes.js';
import { GrpcCallContext } from './call-context.js';
import { readable } from './codec.js';
import { Outbox } from './outbox.js';
import { type Binding, refuseLate } from './unary.js';

type Call = ServerWritableStream<unknown, Uint8Array>;

/** A method of the engine that answers with a stream: the next message is asked for when there is room for it. */
export function serverStreamHandler(binding: Binding<ServerStream<unknown, unknown>>) {
  return (call: Call): void => {
    const context = new GrpcCallContext(call);
    pump(call, context, binding).then(
      () => {
        context.settle();
        call.end();
      },
      (error: unknown) => {
        if (context.isAbort(error)) return;
        context.settle();
        const answer = toErrorAnswer(error, binding.reportBug);
        if (!call.destroyed) call.emit('error', answer);
      },
    );
  };
}

async function pump(
  call: Call,
  context: GrpcCallContext,
  { run, encode }: Binding<ServerStream<unknown, unknown>>,
): Promise<void> {
  const outbox = new Outbox(call);
  const request = readable(call.request);
  refuseLate(context);
  for await (const message of run(request, context)) {
    // Leaving the loop ends the engine's side of the stream too.
    if (context.gone) return;
    if (!outbox.send(encode(message))) await outbox.room();
    if (context.gone) return;
  }
}
