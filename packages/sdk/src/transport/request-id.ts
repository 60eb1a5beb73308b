import { randomBytes } from 'node:crypto';

/** 96 random bits: no two processes, and no two threads of one, begin their ids alike. */
const BEGINNING = randomBytes(12).toString('base64url');

let count = 0;

/**
 * An id for a request that nothing else has: all attempts of one call carry it, and no other call does. Drawn once and
 * counted up from there, for each call has one.
 */
export function newRequestId(): string {
  count += 1;
  return `${BEGINNING}-${count.toString(36)}`;
}
