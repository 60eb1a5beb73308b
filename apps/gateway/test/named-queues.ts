import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { fileDescriptorSet } from '@echomq/proto/descriptors';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, fileDescriptorSet()));

/** The description of what an rpc takes. @param path as in `/echomq.v1.WorkerService/Work` */
export function inputOf(path: string): DescMessage {
  const [, service = '', method = ''] = path.split('/');
  const found = registry.getService(service)?.methods.find(({ name }) => name === method);
  if (!found) throw new Error(`no ${path}`);
  return found.input;
}

/** Messages within messages of the same kind are followed once: a child of a child is no news. */
const DEPTH = 8;

/** The paths to every field of a message, and of those in it, that is called `queue`. */
export function queuePaths(message: DescMessage, above: readonly DescMessage[] = []): string[][] {
  if (above.length > DEPTH || above.filter((one) => one === message).length > 1) return [];
  return message.fields.flatMap((field) => {
    if (field.name === 'queue' && field.fieldKind === 'scalar') return [[field.name]];
    const inner = field.fieldKind === 'map' ? undefined : field.message;
    if (!inner) return [];
    return queuePaths(inner, [...above, message]).map((path) => [field.name, ...path]);
  });
}

/** The bytes of a message in which nothing stands but a text at one path. */
export function messageWith(
  input: DescMessage,
  [path, text]: readonly [readonly string[], string],
): Uint8Array {
  return toBinary(input, fromJson(input, jsonAt(input, path, text)));
}

function jsonAt(input: DescMessage, path: readonly string[], text: string): JsonObject {
  const [name = '', ...rest] = path;
  const field = input.fields.find((candidate) => candidate.name === name);
  if (!field?.message) return { [name]: text };
  const inner = jsonAt(field.message, rest, text);
  return { [name]: field.fieldKind === 'list' ? [inner] : inner };
}
