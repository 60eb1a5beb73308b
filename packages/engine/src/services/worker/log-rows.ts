import { InvalidRequest } from '@echomq/core';
import type { Limits } from '../../limits.js';
import { tooLarge } from '../../validation/json-payload.js';
import { boundedText } from '../../validation/text.js';

/**
 * Log lines, checked: a bounded number of well-formed texts of a bounded size in all.
 *
 * @throws InvalidRequest INVALID_FIELD or PAYLOAD_TOO_LARGE.
 */
export function logRows(
  lines: readonly string[],
  field: string,
  limits: Limits,
): readonly string[] {
  if (lines.length > limits.maxLogLines) {
    throw new InvalidRequest(field, `must have at most ${limits.maxLogLines} lines`);
  }
  let bytes = 0;
  lines.forEach((line, index) => {
    boundedText(line, `${field}[${index}]`, { max: Number.POSITIVE_INFINITY });
    bytes += Buffer.byteLength(line);
  });
  if (bytes > limits.maxLogBytes) throw tooLarge(field, limits.maxLogBytes, bytes);
  return lines;
}
