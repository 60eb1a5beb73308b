import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../exit/report-error.js';

/**
 * A payload from the command line: JSON, or `-` for JSON on the input.
 *
 * @throws UsageError where it is no JSON
 */
export async function payload(given: string | undefined, stdin: Readable): Promise<unknown> {
  if (given === undefined) return {};
  return parseJson(given === '-' ? await text(stdin) : given, given === '-' ? 'the input' : 'DATA');
}

/** JSON, or a complaint that names where it stood. @throws UsageError */
export function parseJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError(`${where} is no JSON; a text needs its quotes too: '"text"'`);
  }
}
