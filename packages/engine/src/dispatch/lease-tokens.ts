import { randomBytes } from 'node:crypto';

const TOKEN_BYTES = 16;
let pool = Buffer.alloc(0);
let used = 0;

/** Whether a lock's token is one of ours, made by this engine or another; BullMQ's are longer and have colons. */
export function isLeaseToken(token: string): boolean {
  return /^[\w-]{22}$/.test(token);
}

/** A lease token: 128 random bits as base64url. New for each delivery; whoever shows it owns the job. */
export function newLeaseToken(): string {
  if (used + TOKEN_BYTES > pool.length) {
    // One call to the system's generator serves many deliveries.
    pool = randomBytes(TOKEN_BYTES * 256);
    used = 0;
  }
  used += TOKEN_BYTES;
  return pool.toString('base64url', used - TOKEN_BYTES, used);
}
