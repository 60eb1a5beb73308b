import { invalid } from '../errors.js';

/**
 * Checks a queue's name as the gateway does: 1 to 128 characters, not blank, no colon, no control character, braces
 * only around the whole.
 *
 * @throws InvalidRequest naming `field`
 */
export function checkQueueName(name: unknown, field = 'queue'): asserts name is string {
  if (typeof name !== 'string') throw invalid(field, 'must be a string');
  if (name.trim() === '') throw invalid(field, 'must not be empty or blank');
  if ([...name].length > 128) throw invalid(field, 'must have at most 128 characters');
  if (name.includes(':')) throw invalid(field, 'must not contain a colon');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) {
    throw invalid(field, 'must not contain control characters or lone surrogates');
  }
  const inner = name.startsWith('{') && name.endsWith('}') ? name.slice(1, -1) : name;
  if (inner.trim() === '' || /[{}]/.test(inner)) {
    throw invalid(field, 'braces may only stand around the whole name');
  }
}
