import { InvalidRequest } from '@echomq/core';

/** Bounds of a text, in bytes of UTF-8. */
export interface TextBounds {
  readonly min?: number;
  readonly max: number;
}

/**
 * A text of bounded size without lone surrogates, which UTF-8 cannot carry.
 *
 * @throws InvalidRequest when it is none.
 */
export function boundedText(value: string, field: string, { min = 0, max }: TextBounds): string {
  if (typeof value !== 'string') throw new InvalidRequest(field, 'must be a text');
  const size = Buffer.byteLength(value);
  if (size < min) throw new InvalidRequest(field, 'must not be empty');
  if (size > max) throw new InvalidRequest(field, `must have at most ${max} bytes`);
  if (!value.isWellFormed()) throw new InvalidRequest(field, 'must not contain lone surrogates');
  return value;
}
