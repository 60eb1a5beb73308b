import { createHash } from 'node:crypto';
import { walk } from './ast.js';
import type { Lib, ScriptSource } from './sources.js';

/** A script as Redis gets it. */
export interface Bundle {
  readonly script: ScriptSource;
  readonly source: string;
  /** SHA-1 of the source's bytes, as EVALSHA wants it. */
  readonly sha: string;
}

/**
 * `-- NAME-KEYS`, each lib once behind those it needs, then the script from its declaration block
 * on. Libs lose their comment lines and blank lines, so that words about them change no SHA.
 */
export function bundle(script: ScriptSource, libs: readonly Lib[]): Bundle {
  const body = script.file.lines.slice(bodyStart(script) - 1).join('\n');
  const parts = [`-- ${script.label}`, ...libs.map(codeOf), '', body.trim(), ''];
  const source = parts.join('\n');
  return { script, source, sha: createHash('sha1').update(source).digest('hex') };
}

/** The first line behind the header that is not blank. */
function bodyStart({ file, header }: ScriptSource): number {
  const blank = (line: number) => file.lines[line - 1]?.trim() === '';
  let line = header.endLine;
  while (line < file.lines.length && blank(line)) line++;
  return line;
}

function codeOf(lib: Lib): string {
  const { file } = lib;
  const dropped = new Set<number>();
  file.lines.forEach((line, at) => {
    if (line.trim() === '') dropped.add(at + 1);
  });
  for (const comment of file.comments) {
    if (!comment.alone) continue;
    for (let line = comment.line; line <= comment.endLine; line++) dropped.add(line);
  }
  for (const statement of file.body) {
    walk(statement, ({ type, loc }) => {
      // A blank line inside a long string is part of its value.
      if (type !== 'StringLiteral') return;
      for (let line = loc.start.line; line <= loc.end.line; line++) dropped.delete(line);
    });
  }
  return file.lines.filter((_, at) => !dropped.has(at + 1)).join('\n');
}
