import { invalid } from '../errors.js';
import { uint32Of } from '../payload/numbers.js';

/** How long one part of a long change may take, in ms. */
export const PART_TIMEOUT_MS = 60_000;

/** The largest part of the contract. */
const MAX_PART = 10_000;
const DEFAULT_PART = 1_000;

/** Jobs of one part of a long change. @throws InvalidRequest naming `field` */
export function partSize(count: number | undefined, field: string): number {
  const size = uint32Of(count, field) ?? DEFAULT_PART;
  if (size >= 1 && size <= MAX_PART) return size;
  throw invalid(field, `must be from 1 to ${MAX_PART}`);
}

/** Makes a change part by part until nothing is left of it. Returns how many jobs it moved. */
export async function inParts(
  part: (cursor: string) => Promise<{ readonly moved: number; readonly nextCursor: string }>,
  onProgress?: (moved: number) => void,
): Promise<number> {
  let moved = 0;
  let cursor = '';
  do {
    const done = await part(cursor);
    moved += done.moved;
    cursor = done.nextCursor;
    onProgress?.(moved);
  } while (cursor !== '');
  return moved;
}
