import { invalid } from '../errors.js';

/**
 * A text that UTF-8 can carry. A lone surrogate would arrive as another character, so that the name on this side and
 * the one that is stored would not be the same.
 *
 * @throws InvalidRequest naming `field`
 */
export function textOf(value: unknown, field: string, reason?: string): string {
  if (typeof value !== 'string') throw invalid(field, 'must be a string', reason);
  if (!value.isWellFormed()) throw invalid(field, 'must not contain lone surrogates', reason);
  return value;
}
