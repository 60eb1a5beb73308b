import type { Comment, LuaFile } from './ast.js';
import type { Problems } from './problems.js';

/** A name in an `@include` or `@rejects` line, with its line. */
export interface NamedLine {
  readonly name: string;
  readonly line: number;
}

/** What the comments at the top of a file say. */
export interface Header {
  /** The `---` lines, joined. */
  readonly doc: string;
  readonly includes: readonly NamedLine[];
  readonly rejects: readonly NamedLine[];
  /** The functions of libs that an ordinary run calls; without any, all count as such. */
  readonly usual: readonly NamedLine[];
  readonly returns: string;
  /** The first line after the header. */
  readonly endLine: number;
}

const TAG = /^\s*@(\w+)\s*(.*)$/;

/**
 * Reads the comments above the first statement: `---` lines, then `@include`, `@rejects`, `@usual`
 * and `@returns`. A `--` line with two or more spaces of indent continues the tag above it.
 */
export function parseHeader(file: LuaFile, problems: Problems): Header {
  const firstLine = file.body[0]?.loc.start.line ?? Number.POSITIVE_INFINITY;
  const doc: string[] = [];
  const tags: { tag: string; line: number; text: string }[] = [];
  let previous: Comment | undefined;
  let endLine = 1;
  for (const comment of file.comments) {
    const tagged = TAG.exec(comment.text);
    if (comment.line >= firstLine || !comment.alone) {
      if (tagged) problems.add(file.path, comment.line, `@${tagged[1]} belongs at the top`);
      continue;
    }
    const last = tags.at(-1);
    if (comment.raw.startsWith('---')) {
      // The first run of `---` lines; one further down belongs to what follows it.
      if (doc.length > 0 && previous?.line !== comment.line - 1) continue;
      doc.push(comment.text.replace(/^-+/, '').trim());
    } else if (tagged) {
      tags.push({ tag: tagged[1] ?? '', line: comment.line, text: tagged[2] ?? '' });
    } else if (last && previous?.line === comment.line - 1 && comment.text.startsWith('  ')) {
      tags.push({ tag: last.tag, line: comment.line, text: comment.text.trim() });
    } else {
      continue;
    }
    previous = comment;
    endLine = comment.endLine + 1;
  }
  for (const { tag, line } of tags) {
    if (!['include', 'rejects', 'usual', 'returns'].includes(tag)) {
      problems.add(
        file.path,
        line,
        `unknown tag @${tag}: use @include, @rejects, @usual or @returns`,
      );
    }
  }
  const names = (tag: string): NamedLine[] =>
    tags
      .filter((entry) => entry.tag === tag)
      .flatMap(({ text, line }) =>
        // Words behind three spaces are for people.
        text
          .replace(/ {3,}.*$/, '')
          .split(/\s+/)
          .filter((name) => name !== '')
          .map((name) => ({ name, line })),
      );
  const returns = tags.filter((entry) => entry.tag === 'returns').map((entry) => entry.text);
  const header: Header = {
    doc: doc.join(' ').trim(),
    includes: names('include'),
    rejects: names('rejects'),
    usual: names('usual'),
    returns: returns.join(' ').trim(),
    endLine,
  };
  refuseDoubles(file.path, header.includes, '@include', problems);
  refuseDoubles(file.path, header.rejects, '@rejects', problems);
  refuseDoubles(file.path, header.usual, '@usual', problems);
  return header;
}

function refuseDoubles(
  path: string,
  names: readonly NamedLine[],
  tag: string,
  problems: Problems,
): void {
  const seen = new Set<string>();
  for (const { name, line } of names) {
    if (seen.has(name)) problems.add(path, line, `${tag} names ${name} twice`);
    seen.add(name);
  }
}

/** The first sentence of a doc comment. */
export function firstSentence(doc: string): string {
  const end = /[.!?](?=\s+\p{Lu}|\s*$)/u.exec(doc);
  return end ? doc.slice(0, end.index + 1) : doc;
}
