/** A stretch of a text, from `at` up to `end`, and what is put in its place. */
export interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made. None may reach into another. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { at, end, text: by } of [...edits].sort((a, b) => b.at - a.at)) {
    changed = changed.slice(0, at) + by + changed.slice(end);
  }
  return changed;
}
