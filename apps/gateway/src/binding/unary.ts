import type { Unary } from '@echomq/engine';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { toErrorAnswer } from '../status-codes.js';
import { admit, type Binding } from './binding.js';
import { GrpcCallContext } from './call-context.js';
import { watchDelivery } from './delivery-acks.js';

type Call = ServerUnaryCall<Buffer, Uint8Array>;

/** A method of the engine with one message each way, as grpc-js calls it. */
export function unaryHandler(binding: Binding<Unary<unknown, unknown>>) {
  const { encode, reportBug } = binding;
  return (call: Call, answer: sendUnaryData<Uint8Array>): void => {
    const context = new GrpcCallContext(call);
    respond(call, context, binding).then(
      (response) => {
        let bytes: Uint8Array;
        try {
          bytes = encode(response);
        } catch (error) {
          answer(toErrorAnswer(error, reportBug));
          return;
        }
        context.settle();
        const { takeBack } = context;
        if (takeBack) {
          const delivered = watchDelivery(call);
          context.whenOver(() => delivered(takeBack));
        }
        answer(null, bytes);
      },
      (error: unknown) => {
        // What an abort throws is no bug, and nobody waits for an answer to it.
        if (context.isAbort(error)) return;
        context.settle();
        answer(toErrorAnswer(error, reportBug));
      },
    );
  };
}

async function respond(
  call: Call,
  context: GrpcCallContext,
  binding: Binding<Unary<unknown, unknown>>,
) {
  const { credential, request, run } = admit(call, context, binding);
  if (!binding.mayWait(request)) return await run(request, context);
  const done = binding.access.waiters.take(credential.principal.name);
  try {
    return await run(request, context);
  } finally {
    done();
  }
}
