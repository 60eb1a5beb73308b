import { fileDescriptorSet } from '@echomq/proto/descriptors';
import type { Server } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { SERVICE_NAMES } from './binding/services.js';

/** Answers to server reflection with the contract's own descriptors. */
export function addReflection(server: Server): void {
  const contract = loadFileDescriptorSetFromBuffer(fileDescriptorSet());
  new ReflectionService(contract, { services: [...SERVICE_NAMES] }).addToServer(server);
}
