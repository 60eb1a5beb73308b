import { createHash } from 'node:crypto';
import { type Node, walk } from './ast.js';
import { inText } from './in-text.js';
import { withRare } from './rare.js';
import type { Reached } from './reach.js';
import type { Lib, ScriptSource, Source } from './sources.js';

/** A script as Redis gets it. */
export interface Bundle {
  readonly script: ScriptSource;
  readonly source: string;
  /** SHA-1 of the source's bytes, as EVALSHA wants it. */
  readonly sha: string;
}

/** What a script is bundled from: the libs in their order, and what of them it can come to. */
export interface Parts {
  readonly libs: readonly Lib[];
  readonly reached: readonly Reached[];
}

/**
 * `-- NAME-KEYS`, what the script reaches of each lib once behind what it needs, then the script from its declaration
 * block on. Libs lose their comment lines and blank lines, so that words about them change no SHA. Constants and keys
 * stand where they are used: see constants.ts and inline.ts. What an ordinary run does not call is made when it is
 * called: see rare.ts.
 */
export function bundle(script: ScriptSource, { libs, reached }: Parts): Bundle {
  const statements = new Map(reached.map((entry) => [entry.source as Source, entry.statements]));
  const definitions = libs.flatMap((lib) =>
    lib.file.body
      .filter((statement) => statements.get(lib)?.has(statement))
      .map((statement) => codeOf(lib, statement)),
  );
  const body = script.file.lines.slice(bodyStart(script) - 1).join('\n');
  const flat = inText(script.file.path, { libs: definitions.join('\n'), body: body.trim() });
  const source = [`-- ${script.label}`, ...withRare(script, flat), ''].join('\n');
  return { script, source, sha: createHash('sha1').update(source).digest('hex') };
}

/** The first line behind the header that is not blank. */
function bodyStart({ file, header }: ScriptSource): number {
  const blank = (line: number) => file.lines[line - 1]?.trim() === '';
  let line = header.endLine;
  while (line < file.lines.length && blank(line)) line++;
  return line;
}

/** The lines of a statement, without comments and blank lines. */
function codeOf({ file }: Lib, statement: Node): string {
  const dropped = new Set<number>();
  file.lines.forEach((line, at) => {
    if (line.trim() === '') dropped.add(at + 1);
  });
  for (const comment of file.comments) {
    if (!comment.alone) continue;
    for (let line = comment.line; line <= comment.endLine; line++) dropped.add(line);
  }
  walk(statement, ({ type, loc }) => {
    // A blank line inside a long string is part of its value.
    if (type !== 'StringLiteral') return;
    for (let line = loc.start.line; line <= loc.end.line; line++) dropped.delete(line);
  });
  const { start, end } = statement.loc;
  return file.lines
    .slice(start.line - 1, end.line)
    .filter((_, at) => !dropped.has(start.line + at))
    .join('\n');
}
