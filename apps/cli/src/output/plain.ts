/**
 * A text for a terminal: what could move the cursor, change colours or hide itself is written out. Names, payloads and
 * reasons come from producers, and nobody's terminal is theirs to drive.
 */
export function plain(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => {
      if (character === '\n') return '\\n';
      const code = character.charCodeAt(0).toString(16);
      return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
    },
  );
}

/** The same on one line of at most `width` characters. */
export function short(text: string, width: number): string {
  const line = plain(text);
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
