/** A fenced block of a page. */
export interface Block {
  /** The page, from the root of the repository. */
  readonly page: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The word behind the fence; empty where there is none. */
  readonly language: string;
  readonly text: string;
  /** What the comment `<!-- code: … -->` above the fence says; absent: nothing. */
  readonly marker?: string;
}

const MARKER = /^<!-- code: (.+) -->$/;
const FENCE = /^ *```(\w*)\s*$/;

/**
 * The fenced blocks of a page in their order.
 *
 * @throws Error where a fence is not closed, or a marker stands above nothing
 */
export function blocksOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let marker: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const language = FENCE.exec(line)?.[1];
    if (language === undefined) {
      if (marker !== undefined && line !== '')
        throw new Error(`${page}:${at}: a marker without a block`);
      marker ??= MARKER.exec(line)?.[1];
      continue;
    }
    const end = lines.findIndex((each, index) => index > at && /^ *```$/.test(each));
    if (end < 0) throw new Error(`${page}:${at + 1}: a block without an end`);
    const body = lines.slice(at + 1, end).map((each) => `${each}\n`);
    const block = { page, line: at + 1, language, text: body.join('') };
    blocks.push(marker === undefined ? block : { ...block, marker });
    marker = undefined;
    at = end;
  }
  return blocks;
}
