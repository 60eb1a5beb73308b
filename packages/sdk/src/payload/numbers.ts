import * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';

/** The largest number of the contract's `uint32`. */
export const MAX_UINT32 = 2 ** 32 - 1;

/** A count that fits the contract. @throws InvalidRequest naming `field`; undefined stays undefined */
export function uint32Of(value: number | undefined, field: string): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || value < 0 || value > MAX_UINT32) {
    throw invalid(field, `must be an integer from 0 to ${MAX_UINT32}, is ${shown(value)}`);
  }
  return value;
}

/** A span in ms that fits the contract, zero or longer. @throws InvalidRequest naming `field` */
export function durationOf(ms: number, field: string): pb.Duration {
  if (typeof ms !== 'number' || !(ms >= 0) || ms > Number.MAX_SAFE_INTEGER) {
    throw invalid(field, `must be a number of ms from 0 to 2^53 - 1, is ${shown(ms)}`);
  }
  return pb.msToDuration(ms);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
