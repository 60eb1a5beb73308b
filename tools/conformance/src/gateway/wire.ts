import { WorkResponse } from '@echomq/proto/messages';
import { WorkerServiceService } from '@echomq/proto/services';

/**
 * WorkerService with a Work stream whose messages are bytes on this side: what a worker sends is decoded where an error
 * can be told as the worker's, and what no version of the contract has can be sent.
 */
export const RAW_WORKER_SERVICE = {
  ...WorkerServiceService,
  work: {
    path: WorkerServiceService.work.path,
    requestStream: true,
    responseStream: true,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
} as const;

/** A message as bytes. */
export function encode(message: NonNullable<WorkResponse['message']>): Buffer {
  return Buffer.from(WorkResponse.encode({ message }).finish());
}

/** A field that no version has, with this text. Alone it is a message whose case nobody knows. */
export function unknownField(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
