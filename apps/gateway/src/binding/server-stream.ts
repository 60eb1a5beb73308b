import type { ServerStream } from '@echomq/engine';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { unreadTooLong } from '../access/refusals.js';
import { toErrorAnswer } from '../status-codes.js';
import { admit, type Binding } from './binding.js';
import { GrpcCallContext } from './call-context.js';
import { Outbox } from './outbox.js';

type Call = ServerWritableStream<Buffer, Uint8Array>;

/** A method of the engine that answers with a stream: the next message is asked for when there is room for it. */
export function serverStreamHandler(binding: Binding<ServerStream<unknown, unknown>>) {
  return (call: Call): void => {
    const context = new GrpcCallContext(call);
    const fail = (error: unknown) => {
      if (!call.destroyed) call.emit('error', toErrorAnswer(error, binding.reportBug));
    };
    pump(call, context, { ...binding, fail }).then(
      () => {
        if (context.gone) return;
        context.settle();
        call.end();
      },
      (error: unknown) => {
        if (context.isAbort(error)) return;
        context.settle();
        fail(error);
      },
    );
  };
}

async function pump(
  call: Call,
  context: GrpcCallContext,
  binding: Binding<ServerStream<unknown, unknown>> & { readonly fail: (error: unknown) => void },
): Promise<void> {
  const { access, encode, fail, maxUnreadMs } = binding;
  const { credential, request, run } = admit(call, context, binding);
  context.whenOver(access.streams.take(credential.principal.name));
  const unread = { afterMs: maxUnreadMs, end: () => end(unreadTooLong(maxUnreadMs)) };
  const outbox = new Outbox(call, unread);
  const end = (error: unknown) => {
    // For the engine the caller is gone; whoever resumes shows fresh credentials.
    context.abandon();
    fail(error);
    outbox.close();
  };
  context.whenOver(access.watch.add({ credential, end }));
  for await (const message of run(request, context)) {
    // Leaving the loop ends the engine's side of the stream too.
    if (context.gone) return;
    if (!outbox.send(encode(message))) await outbox.room();
    if (context.gone) return;
  }
}
