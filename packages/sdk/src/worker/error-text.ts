/** What is told of an error; the gateway keeps no more. */
const MAX_MESSAGE_BYTES = 4_096;
const MAX_STACK_BYTES = 8_192;
const MAX_NAME_BYTES = 128;

/** An error as it is reported. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string[];
}

/** The words of whatever was thrown, cut to size. Never throws, also for a hostile object. */
export function errorText(thrown: unknown): ErrorText {
  const name = read(() => (thrown instanceof Error ? thrown.name : undefined)) || 'Error';
  const message = read(() => (thrown instanceof Error ? thrown.message : String(thrown)));
  const stack = read(() => (thrown instanceof Error ? thrown.stack : undefined));
  return {
    name: cutBytes(name, MAX_NAME_BYTES),
    message: cutBytes(message || name, MAX_MESSAGE_BYTES),
    stack: stack === undefined ? [] : cutBytes(stack, MAX_STACK_BYTES).split('\n'),
  };
}

/** The text if it has at most so many bytes in UTF-8, else its beginning and how much is missing. */
export function cutBytes(text: string, maxBytes: number): string {
  // A code unit has at least one byte: what is longer than the limit need not be encoded whole.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1));
  if (text.length <= maxBytes && bytes.length <= maxBytes) return text;
  const note = ` … (cut, ${text.length} characters)`;
  let end = maxBytes - Buffer.byteLength(note);
  // Not inside a character: continuation bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, Math.max(0, end)).toString() + note;
}

function read(member: () => unknown): string | undefined {
  try {
    const value = member();
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
