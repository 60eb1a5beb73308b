import { isUtf8 } from 'node:buffer';
import { createFileRegistry, type DescMessage, fromBinary, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { fileDescriptorSet } from '@echomq/proto/descriptors';

/** Where in a message reading fails, and why. */
export interface Fault {
  /** The field's path in the contract's names, as in `options.delay.seconds`; `request` for the message as a whole. */
  readonly field: string;
  readonly problem: string;
}

const WHOLE = 'request';
/** As deep as the generated code reads. */
const MAX_DEPTH = 100;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

let registry: ReturnType<typeof createFileRegistry> | undefined;

/**
 * Finds the field at which a message could not be read, by walking its bytes along the contract's descriptors. Only
 * called for messages that are already known to be bad.
 *
 * @param path of the method, as in `/echomq.v1.WorkerService/FetchJobs`
 */
export function locateFault(path: string, bytes: Uint8Array): Fault {
  const trail: string[] = [];
  try {
    const input = inputOf(path);
    if (input) walk(input, { reader: new BinaryReader(bytes), end: bytes.length, trail });
  } catch (error) {
    const field = trail.length > 0 ? trail.join('.') : WHOLE;
    return { field, problem: error instanceof OutOfRange ? error.message : 'is malformed' };
  }
  return { field: WHOLE, problem: 'is malformed' };
}

class OutOfRange extends Error {}

interface Walk {
  readonly reader: BinaryReader;
  readonly end: number;
  /** The fields on the way; where a walk ends early, the path to where it did. */
  readonly trail: string[];
}

function walk(message: DescMessage, { reader, end, trail }: Walk): void {
  if (trail.length > MAX_DEPTH) throw new OutOfRange('is nested too deeply');
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = message.fields.find((candidate) => candidate.number === number);
    if (!field) {
      reader.skip(wireType, number);
      continue;
    }
    trail.push(field.name);
    const nested = field.message;
    if (nested && field.fieldKind !== 'map' && wireType === WireType.LengthDelimited) {
      const length = reader.uint32();
      if (reader.pos + length > end) throw new OutOfRange('is cut off');
      walk(nested, { reader, end: reader.pos + length, trail });
    } else if (wireType === WireType.Varint && isLong(field.scalar)) {
      const value = BigInt(reader.int64());
      if (value > SAFE || value < -SAFE) throw new OutOfRange('must lie within ±(2^53 − 1)');
    } else if (wireType === WireType.LengthDelimited && field.scalar === ScalarType.STRING) {
      if (!isUtf8(reader.bytes())) throw new OutOfRange('is not UTF-8 text');
    } else {
      reader.skip(wireType, number);
    }
    trail.pop();
  }
  if (reader.pos > end) throw new OutOfRange('is cut off');
}

function isLong(scalar: ScalarType | undefined): boolean {
  return (
    scalar === ScalarType.INT64 || scalar === ScalarType.UINT64 || scalar === ScalarType.SINT64
  );
}

/** The message that a method takes; `undefined` for one that is not in the contract. */
export function inputOf(path: string): DescMessage | undefined {
  const [, service = '', method = ''] = path.split('/');
  registry ??= createFileRegistry(fromBinary(FileDescriptorSetSchema, fileDescriptorSet()));
  return registry.getService(service)?.methods.find(({ name }) => name === method)?.input;
}
