/**
 * A JSON scanner over bytes (RFC 8259). It builds nothing: it walks the text once and says where a value ends, so that
 * the text itself can be stored and cut byte for byte. A position of a fault is answered as its bitwise complement,
 * a negative number.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** The first position from `at` on that holds no white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  for (;;) {
    const c = bytes[i];
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i;
    i++;
  }
}

/**
 * Walks the value at `start`, which must not be white space. Whether bytes from 0x80 on are good UTF-8 is not looked
 * at here. Returns the position after the value, or the complement of where it is broken or too deep.
 *
 * @param maxDepth how many arrays and objects may be nested.
 */
export function scanValue(bytes: Uint8Array, start: number, maxDepth: number): number {
  // One entry per open container: true for an object.
  const open: boolean[] = [];
  let i = start;
  for (;;) {
    const c = bytes[i];
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (open.length >= maxDepth) return ~i;
      const object = c === OPEN_OBJECT;
      i = skipSpace(bytes, i + 1);
      if (bytes[i] === (object ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        i++;
      } else {
        open.push(object);
        if (object) {
          i = scanKey(bytes, i);
          if (i < 0) return i;
        }
        continue;
      }
    } else {
      i = scanScalar(bytes, i);
      if (i < 0) return i;
    }
    // A value has ended: close what ends with it, then expect the next one.
    for (;;) {
      if (open.length === 0) return i;
      const object = open[open.length - 1] as boolean;
      i = skipSpace(bytes, i);
      if (bytes[i] === COMMA) {
        i = skipSpace(bytes, i + 1);
        if (object) {
          i = scanKey(bytes, i);
          if (i < 0) return i;
        }
        break;
      }
      if (bytes[i] !== (object ? CLOSE_OBJECT : CLOSE_ARRAY)) return ~i;
      open.pop();
      i++;
    }
  }
}

/** Walks `"key" :` and the white space round it. Returns where the value begins. */
export function scanKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return ~at;
  const end = scanString(bytes, at);
  if (end < 0) return end;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : ~colon;
}

/** Walks the string whose opening quote is at `at`. */
export function scanString(bytes: Uint8Array, at: number): number {
  let i = at + 1;
  for (;;) {
    const c = bytes[i];
    if (c === QUOTE) return i + 1;
    if (c === undefined || c < 0x20) return ~i;
    if (c !== BACKSLASH) {
      i++;
      continue;
    }
    const escaped = bytes[i + 1];
    if (escaped === 0x75 /* u */) {
      for (let digit = i + 2; digit < i + 6; digit++) {
        if (!isHexDigit(bytes[digit])) return ~digit;
      }
      i += 6;
    } else if (isSimpleEscape(escaped)) {
      i += 2;
    } else {
      return ~(i + 1);
    }
  }
}

function isHexDigit(c: number | undefined): boolean {
  if (c === undefined) return false;
  const lower = c | 0x20;
  return (c >= 0x30 && c <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** One of `"` `\` `/` `b` `f` `n` `r` `t`. */
function isSimpleEscape(c: number | undefined): boolean {
  return (
    c === QUOTE ||
    c === BACKSLASH ||
    c === 0x2f ||
    c === 0x62 ||
    c === 0x66 ||
    c === 0x6e ||
    c === 0x72 ||
    c === 0x74
  );
}

function isDigit(c: number | undefined): boolean {
  return c !== undefined && c >= 0x30 && c <= 0x39;
}

function scanScalar(bytes: Uint8Array, at: number): number {
  const c = bytes[at];
  if (c === QUOTE) return scanString(bytes, at);
  if (c === 0x74 /* t */) return scanWord(bytes, at, 'true');
  if (c === 0x66 /* f */) return scanWord(bytes, at, 'false');
  if (c === 0x6e /* n */) return scanWord(bytes, at, 'null');
  return scanNumber(bytes, at);
}

function scanWord(bytes: Uint8Array, at: number, word: string): number {
  for (let i = 0; i < word.length; i++) {
    if (bytes[at + i] !== word.charCodeAt(i)) return ~(at + i);
  }
  return at + word.length;
}

function scanNumber(bytes: Uint8Array, at: number): number {
  let i = bytes[at] === 0x2d /* - */ ? at + 1 : at;
  if (!isDigit(bytes[i])) return ~i;
  i = bytes[i] === 0x30 ? i + 1 : skipDigits(bytes, i);
  if (bytes[i] === 0x2e /* . */) {
    if (!isDigit(bytes[i + 1])) return ~(i + 1);
    i = skipDigits(bytes, i + 1);
  }
  if (bytes[i] === 0x65 || bytes[i] === 0x45 /* e E */) {
    const sign = bytes[i + 1] === 0x2b || bytes[i + 1] === 0x2d ? 1 : 0;
    if (!isDigit(bytes[i + 1 + sign])) return ~(i + 1 + sign);
    i = skipDigits(bytes, i + 1 + sign);
  }
  return i;
}

function skipDigits(bytes: Uint8Array, at: number): number {
  let i = at;
  while (isDigit(bytes[i])) i++;
  return i;
}
