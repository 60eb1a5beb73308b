import { EchoMQError } from '@echomq/core';
import type { CallContext, Unary } from '@echomq/engine';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { type ReportBug, toErrorAnswer } from '../status-codes.js';
import { GrpcCallContext } from './call-context.js';
import { readable } from './codec.js';

/** What a handler of any kind is made of. */
export interface Binding<Run> {
  readonly run: Run;
  readonly encode: (response: unknown) => Uint8Array;
  readonly reportBug: ReportBug;
}

type Call = ServerUnaryCall<unknown, Uint8Array>;

/** A method of the engine with one message each way, as grpc-js calls it. */
export function unaryHandler({ run, encode, reportBug }: Binding<Unary<unknown, unknown>>) {
  return (call: Call, answer: sendUnaryData<Uint8Array>): void => {
    const context = new GrpcCallContext(call);
    respond(call, context, run).then(
      (response) => {
        let bytes: Uint8Array;
        try {
          bytes = encode(response);
        } catch (error) {
          answer(toErrorAnswer(error, reportBug));
          return;
        }
        context.settle();
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

async function respond(call: Call, context: CallContext, run: Unary<unknown, unknown>) {
  const request = readable(call.request);
  refuseLate(context);
  return await run(request, context);
}

/** Stops a call whose deadline passed on the way, before Redis sees anything. */
export function refuseLate(context: CallContext): void {
  if (context.deadline === undefined || context.deadline > Date.now()) return;
  throw new EchoMQError('the deadline had passed when the call arrived; nothing was executed', {
    code: 'DEADLINE_EXCEEDED',
    reason: 'DEADLINE_EXCEEDED',
  });
}
