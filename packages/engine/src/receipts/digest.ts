import { createHash } from 'node:crypto';

/** Bytes of SHA-256 that are kept: two requests with the same ones are not to be found. */
const DIGEST_BYTES = 16;

/** A short digest of bytes or text, as base64url: fit for a key and a field. */
export function digest(content: Uint8Array | string): string {
  const hash = createHash('sha256').update(content).digest();
  return hash.toString('base64url', 0, DIGEST_BYTES);
}
