import { DESCRIPTOR_SET_BASE64 } from '../gen/descriptor-set.js';

/**
 * A serialised `google.protobuf.FileDescriptorSet` with all files of `echomq.v1` and what they import: what server
 * reflection answers with. A new buffer at each call.
 */
export function fileDescriptorSet(): Buffer {
  return Buffer.from(DESCRIPTOR_SET_BASE64, 'base64');
}
