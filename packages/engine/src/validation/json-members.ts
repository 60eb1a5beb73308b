import { scanKey, scanString, scanValue, skipSpace } from './json-scan.js';

/** A member of a JSON object, with its text as it stands. */
export interface JsonMember {
  readonly key: string;
  /** The member whole, `"key": value`, byte for byte. */
  readonly text: Uint8Array;
  /** The value alone. */
  readonly value: Uint8Array;
}

/** The members of the JSON object that `bytes` holds, in order; `undefined` when it holds none, or too deep a one. */
export function jsonMembers(bytes: Uint8Array, maxDepth: number): JsonMember[] | undefined {
  let i = skipSpace(bytes, 0);
  if (bytes[i] !== 0x7b /* { */) return undefined;
  i = skipSpace(bytes, i + 1);
  const members: JsonMember[] = [];
  if (bytes[i] === 0x7d /* } */) return endsAt(bytes, i + 1) ? members : undefined;
  for (;;) {
    const begin = scanKey(bytes, i);
    if (begin < 0) return undefined;
    const end = scanValue(bytes, begin, maxDepth - 1);
    if (end < 0) return undefined;
    members.push({
      key: textOf(bytes, i, scanString(bytes, i)),
      text: bytes.subarray(i, end),
      value: bytes.subarray(begin, end),
    });
    i = skipSpace(bytes, end);
    if (bytes[i] === 0x7d /* } */) return endsAt(bytes, i + 1) ? members : undefined;
    if (bytes[i] !== 0x2c /* , */) return undefined;
    i = skipSpace(bytes, i + 1);
  }
}

function endsAt(bytes: Uint8Array, at: number): boolean {
  return skipSpace(bytes, at) === bytes.length;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return JSON.parse(new TextDecoder().decode(bytes.subarray(from, to))) as string;
}
