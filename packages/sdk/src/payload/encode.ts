import { InvalidRequest, invalid } from '../errors.js';
import { checkEncodable } from './check-encodable.js';

/**
 * A value as the UTF-8 JSON that is stored. As JSON does it: a Date becomes its ISO string, an object with `toJSON` what
 * that returns, members that are undefined or functions are left out (null in arrays). What JSON would lose without a
 * word is refused.
 *
 * @param field what an error calls the value, for example `data`
 * @throws InvalidRequest of reason PAYLOAD_NOT_JSON that names the path: a BigInt, NaN or Infinity, a Map, Set, Promise
 *   or invalid Date, a circle, more than 128 levels, a root that is undefined, a function or a symbol
 */
export function encodeJson(value: unknown, field: string): Buffer {
  let text: string | undefined;
  try {
    checkEncodable(value, field);
    text = JSON.stringify(value);
  } catch (cause) {
    if (cause instanceof InvalidRequest) throw cause;
    // A getter or a toJSON of the caller's threw.
    throw invalid(field, `cannot be written as JSON (${String(cause)})`, 'PAYLOAD_NOT_JSON');
  }
  if (text === undefined) {
    throw invalid(field, `${typeof value} is no JSON value`, 'PAYLOAD_NOT_JSON');
  }
  return Buffer.from(text);
}

/** As {@link encodeJson}, but nothing stays nothing: a handler that returns undefined has no result. */
export function encodeResult(value: unknown): Buffer {
  return value === undefined ? Buffer.alloc(0) : encodeJson(value, 'returnvalue');
}
