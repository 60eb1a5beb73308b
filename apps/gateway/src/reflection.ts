import { BinaryReader } from '@bufbuild/protobuf/wire';
import { fileDescriptorSet } from '@echomq/proto/descriptors';
import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { SERVICE_NAMES } from './binding/services.js';

/** Answers to server reflection with the contract's own descriptors, file by file as they were compiled. */
export function addReflection(server: Server): void {
  // Of a definition the service reads the files alone. The loader of definitions would merge those of a package into
  // one, without its imports: tools that check what they get (buf, grpcurl) then find nothing in it.
  const format = 'Protocol Buffer 3 DescriptorProto';
  const contract = { format, type: {}, fileDescriptorProtos: filesOf(fileDescriptorSet()) };
  const definition = { contract } as unknown as PackageDefinition;
  new ReflectionService(definition, { services: [...SERVICE_NAMES] }).addToServer(server);
}

/** The files of a `google.protobuf.FileDescriptorSet`, whose one field they are. */
function filesOf(set: Uint8Array): Buffer[] {
  const reader = new BinaryReader(set);
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    reader.tag();
    files.push(Buffer.from(reader.bytes()));
  }
  return files;
}
