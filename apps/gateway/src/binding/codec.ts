import { InvalidRequest } from '@echomq/core';
import type { MethodDefinition } from '@grpc/grpc-js';
import { locateFault } from './locate-fault.js';

/** A message that came in and could not be read: takes the place of the message, so that a handler sees it. */
export class Unreadable {
  constructor(readonly error: InvalidRequest) {}
}

/** A method as the generated code describes it. */
export type Method = MethodDefinition<unknown, unknown>;

/** The same method as the server runs it: answers come to it as bytes, requests may be {@link Unreadable}. */
export type ServedMethod = Omit<Method, 'responseSerialize'> & {
  readonly responseSerialize: (bytes: Uint8Array) => Buffer;
};

/**
 * Two things differ from the generated code. A deserialiser that throws would end the call with a bare INTERNAL, so
 * that ours never throws. And answers are encoded by the handlers, where what cannot be encoded becomes an error with
 * a reason, and where the size of what waits on a stream is known; here their bytes pass through without a copy.
 */
export function served(method: Method): ServedMethod {
  return {
    ...method,
    requestDeserialize: (bytes: Buffer): unknown => {
      try {
        return method.requestDeserialize(bytes);
      } catch {
        return new Unreadable(unreadable(method.path, bytes));
      }
    },
    responseSerialize: (bytes: Uint8Array) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/** The request inside, or the reason why there is none. */
export function readable(request: unknown): unknown {
  if (request instanceof Unreadable) throw request.error;
  return request;
}

function unreadable(path: string, bytes: Buffer): InvalidRequest {
  const { field, problem } = locateFault(path, bytes);
  return new InvalidRequest(field, problem);
}
