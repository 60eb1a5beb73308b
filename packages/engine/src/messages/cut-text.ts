/** A text of at most `max` bytes of UTF-8, cut between characters; what was cut ends in an ellipsis. */
export function cutText(text: string, max: number): string {
  if (text.length * 3 <= max) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max - 3;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
