import { BinaryReader } from '@bufbuild/protobuf/wire';
import { InvalidRequest } from '@echomq/core';
import type { MethodDefinition } from '@grpc/grpc-js';
import { crowdedField } from './crowded.js';
import { locateFault } from './locate-fault.js';

/** A method as the generated code describes it. */
export type Method = MethodDefinition<unknown, unknown>;

/** The same method as the server runs it: bytes come and go. */
export type ServedMethod = Omit<Method, 'requestDeserialize' | 'responseSerialize'> & {
  readonly requestDeserialize: (bytes: Buffer) => Buffer;
  readonly responseSerialize: (bytes: Uint8Array) => Buffer;
};

/**
 * The handlers decode and encode, not the server: a deserialiser that throws would end the call with a bare INTERNAL;
 * what cannot be encoded becomes an error with a reason; and the size of what waits on a stream is known. Bytes pass
 * through without a copy.
 */
export function served(method: Method): ServedMethod {
  return {
    ...method,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Uint8Array) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/** The message in the bytes of a request. @throws InvalidRequest naming the field at which reading fails */
export type Decode = (bytes: Buffer) => unknown;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const strictText = (bytes: Uint8Array): string => UTF8.decode(bytes);

/**
 * How the requests of a method are read. Texts that are not UTF-8 are refused: with U+FFFD in the place of what cannot
 * be read, two names or ids that differ would become one.
 */
export function decoderOf(method: Method): Decode {
  return (bytes) => {
    const crowded = crowdedField(method.path, bytes);
    if (crowded !== undefined) throw new InvalidRequest(crowded, 'has far too many entries');
    try {
      // The generated code takes a reader in the place of bytes.
      const reader: unknown = new BinaryReader(bytes, strictText);
      return method.requestDeserialize(reader as Buffer);
    } catch {
      const { field, problem } = locateFault(method.path, bytes);
      throw new InvalidRequest(field, problem);
    }
  };
}
