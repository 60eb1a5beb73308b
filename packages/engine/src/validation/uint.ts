import { InvalidRequest } from '@echomq/core';

/** Bounds of a whole number. Absent: from 0 to 4,294,967,295. */
export interface UintBounds {
  readonly min?: number;
  readonly max?: number;
}

/**
 * A whole number. An absent one is `fallback`, which is not checked.
 *
 * @throws InvalidRequest for what is no number, has a fraction, is NaN or infinite, or lies outside the bounds.
 */
export function uint(
  value: number | undefined,
  field: string,
  bounds: UintBounds & { readonly fallback: number },
): number;
export function uint(
  value: number | undefined,
  field: string,
  bounds?: UintBounds,
): number | undefined;
export function uint(
  value: number | undefined,
  field: string,
  bounds: UintBounds & { readonly fallback?: number } = {},
): number | undefined {
  if (value === undefined || value === null) return bounds.fallback;
  const { min = 0, max = 0xffff_ffff } = bounds;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new InvalidRequest(field, `must be a whole number from ${min} to ${max}`);
}
