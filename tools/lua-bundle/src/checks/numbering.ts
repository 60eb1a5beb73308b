import type { LuaFile } from '../ast.js';
import type { ArgumentDeclaration, KeyDeclaration } from '../parse-declarations.js';
import type { Problems } from '../problems.js';

interface Numbered {
  readonly name: string;
  readonly index: number;
  readonly line: number;
}

/** What {@link checkNumbering} compares. */
export interface Numbering {
  readonly file: LuaFile;
  readonly keys: readonly KeyDeclaration[];
  readonly args: readonly ArgumentDeclaration[];
  /** The count in the file's name. */
  readonly keyCount: number;
}

/** Refuses holes and doubles in KEYS and ARGV, and a key count that is not the file name's. */
export function checkNumbering(numbering: Numbering, problems: Problems): void {
  const { file, keys, args, keyCount } = numbering;
  checkSequence(file.path, 'KEYS', keys, problems);
  checkSequence(file.path, 'ARGV', args, problems);
  if (keys.length !== keyCount) {
    const message = `declares ${keys.length} keys, but the file's name says ${keyCount}`;
    problems.add(file.path, keys.at(-1)?.line ?? 1, message);
  }
  const rest = args.findIndex((arg) => arg.type === 'strings...');
  const misplaced = rest >= 0 && rest < args.length - 1 ? args[rest] : undefined;
  if (misplaced) {
    problems.add(file.path, misplaced.line, `${misplaced.name} (strings...) must come last`);
  }
}

function checkSequence(
  path: string,
  table: 'KEYS' | 'ARGV',
  entries: readonly Numbered[],
  problems: Problems,
): void {
  let expected = 1;
  let previous: Numbered | undefined;
  for (const entry of entries) {
    if (entry.index === previous?.index) {
      const message = `${table}[${entry.index}] is declared twice: ${previous.name}, ${entry.name}`;
      problems.add(path, entry.line, message);
      continue;
    }
    for (; expected < entry.index; expected++) {
      problems.add(path, entry.line, `${table}[${expected}] is not declared: a hole`);
    }
    if (entry.index < 1 || !Number.isInteger(entry.index)) {
      problems.add(path, entry.line, `${table}[${entry.index}] is not a position: they start at 1`);
    }
    expected = entry.index + 1;
    previous = entry;
  }
}

/** A key's or an argument's name is the property that callers write: it stands for one thing. */
export function refuseRepeatedNames(
  path: string,
  groups: readonly (readonly Numbered[])[],
  problems: Problems,
): void {
  for (const group of groups) {
    const seen = new Set<string>();
    for (const { name, line } of group) {
      if (seen.has(name)) problems.add(path, line, `the name ${name} is declared twice`);
      seen.add(name);
    }
  }
}
