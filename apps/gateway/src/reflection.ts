import { fileDescriptorSet } from '@echomq/proto/descriptors';
import type { Server } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { SERVICE_NAMES } from './binding/services.js';

/** Answers to server reflection with the contract's own descriptors. */
export function addReflection(server: Server): void {
  const contract = loadFileDescriptorSetFromBuffer(fileDescriptorSet());
  // Each entry carries all files, and reading them anew for each costs a third of a second: one entry has it all.
  const one = Object.fromEntries(Object.entries(contract).slice(0, 1));
  new ReflectionService(one, { services: [...SERVICE_NAMES] }).addToServer(server);
}
