import { isUtf8 } from 'node:buffer';
import { InvalidRequest } from '@echomq/core';
import type { Limits } from '../limits.js';
import { scanValue, skipSpace } from './json-scan.js';

/** How a payload is checked. */
export interface PayloadRules {
  /** Bytes, and nesting of arrays and objects. */
  readonly limits: Pick<Limits, 'maxPayloadBytes' | 'maxJsonDepth'>;
  /** What an empty payload stands for. */
  readonly empty: '{}' | 'null';
}

const EMPTY = { '{}': Buffer.from('{}'), null: Buffer.from('null') };

/**
 * Checks that a payload is UTF-8 JSON text of bounded size and depth, and returns it as it is; an empty one is what the
 * rules say. Nothing is parsed or written anew.
 *
 * @throws InvalidRequest PAYLOAD_TOO_LARGE with `limitBytes` and `actualBytes`, PAYLOAD_NOT_JSON with the position.
 */
export function jsonPayload(
  bytes: Uint8Array | undefined,
  field: string,
  { limits, empty }: PayloadRules,
): Uint8Array {
  if (bytes === undefined || bytes === null) return EMPTY[empty];
  if (!(bytes instanceof Uint8Array)) throw new InvalidRequest(field, 'must be bytes');
  if (bytes.length === 0) return EMPTY[empty];
  if (bytes.length > limits.maxPayloadBytes)
    throw tooLarge(field, limits.maxPayloadBytes, bytes.length);
  if (!isUtf8(bytes)) throw notJson(field, 'is not UTF-8 text');
  const begin = skipSpace(bytes, 0);
  const end = scanValue(bytes, begin, limits.maxJsonDepth);
  const stop = end < 0 ? ~end : skipSpace(bytes, end);
  if (end >= 0 && stop === bytes.length) return bytes;
  const deep = end < 0 && scanValue(bytes, begin, Number.POSITIVE_INFINITY) !== end;
  throw notJson(
    field,
    deep ? `is nested deeper than ${limits.maxJsonDepth}` : `is not JSON text, at byte ${stop}`,
  );
}

/** The error for a payload over its limit, in bytes. */
export function tooLarge(field: string, limit: number, actual: number): InvalidRequest {
  return new InvalidRequest(
    field,
    `has ${actual} bytes, over the limit of ${limit}`,
    'PAYLOAD_TOO_LARGE',
    {
      limitBytes: String(limit),
      actualBytes: String(actual),
    },
  );
}

function notJson(field: string, problem: string): InvalidRequest {
  return new InvalidRequest(field, problem, 'PAYLOAD_NOT_JSON');
}
