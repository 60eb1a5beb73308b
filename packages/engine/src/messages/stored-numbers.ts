import { MAX_INSTANT_MS } from '../validation/time-bounds.js';

// Numbers of a hash, brought into what the contract can say. A foreign writer may have stored any: one bad field must
// not make a job that can be given to nobody, or a list that cannot be shown.

const MAX_COUNT = 0xffff_ffff;

/** A counter: whole, from 0 to 4,294,967,295. */
export function storedCount(value: number): number {
  return whole(value, MAX_COUNT);
}

/** An instant, from ms since the epoch: from 1970 to 9999. */
export function storedInstant(ms: number): Date {
  return new Date(whole(ms, MAX_INSTANT_MS));
}

/** A span of whole ms; as long as an instant is far at most. */
export function storedSpanMs(ms: number): number {
  return whole(ms, MAX_INSTANT_MS);
}

function whole(value: number, max: number): number {
  return Math.min(Math.max(0, Math.trunc(value)), max);
}
