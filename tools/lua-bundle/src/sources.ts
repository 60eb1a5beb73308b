import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSyntaxError, type LuaFile, type Node, parseLua } from './ast.js';
import { definedNames } from './definitions.js';
import { type Declarations, parseDeclarations } from './parse-declarations.js';
import { type Header, parseHeader } from './parse-header.js';
import { compare, type Problems } from './problems.js';
import { resolveScopes, type Scopes } from './scope.js';

/** A file of lua/ with all that the checks ask of it. */
export interface Source {
  readonly file: LuaFile;
  readonly header: Header;
  readonly scopes: Scopes;
}

/** `lua/lib/NAME.lua`. `defines` holds its top-level names with the statements that make them. */
export interface Lib extends Source {
  readonly name: string;
  readonly defines: ReadonlyMap<string, readonly Node[]>;
}

/** `lua/transitions/NAME-KEYCOUNT.lua` or `lua/queries/NAME-KEYCOUNT.lua`. */
export interface ScriptSource extends Source {
  readonly name: string;
  /** `NAME-KEYCOUNT` */
  readonly label: string;
  readonly kind: 'transition' | 'query';
  readonly declarations: Declarations;
}

/** Everything in lua/ that is written by hand. */
export interface Sources {
  readonly libs: ReadonlyMap<string, Lib>;
  /** In the order of their names. */
  readonly scripts: readonly ScriptSource[];
}

const SCRIPT_NAME = /^([a-z][A-Za-z0-9]*)-(\d+)\.lua$/;
const LIB_NAME = /^([a-z][A-Za-z0-9]*)\.lua$/;

/** Reads and parses lua/lib, lua/transitions and lua/queries under a root. */
export function readSources(root: string, problems: Problems): Sources {
  const libs = new Map<string, Lib>();
  for (const { path, match } of listLua(root, 'lua/lib', LIB_NAME, problems)) {
    const source = readSource(root, path, problems);
    const name = match[1] ?? '';
    if (source) libs.set(name, { ...source, name, defines: definedNames(source, problems) });
  }
  const scripts: ScriptSource[] = [];
  for (const kind of ['transition', 'query'] as const) {
    const folder = kind === 'transition' ? 'lua/transitions' : 'lua/queries';
    for (const { path, match } of listLua(root, folder, SCRIPT_NAME, problems)) {
      const source = readSource(root, path, problems);
      if (!source) continue;
      const [, name = '', count = ''] = match;
      const twin = scripts.find((script) => script.name === name);
      if (twin) problems.add(path, 1, `${twin.file.path} has the name ${name} already`);
      if (source.header.doc === '') problems.add(path, 1, 'says nothing of itself: begin with ---');
      const declarations = parseDeclarations(source.file, Number(count), problems);
      scripts.push({ ...source, name, label: `${name}-${count}`, kind, declarations });
    }
  }
  return { libs, scripts: scripts.sort((a, b) => compare(a.name, b.name)) };
}

function listLua(
  root: string,
  folder: string,
  pattern: RegExp,
  problems: Problems,
): { path: string; match: RegExpExecArray }[] {
  const found: { path: string; match: RegExpExecArray }[] = [];
  for (const name of readdirSync(join(root, folder)).sort(compare)) {
    if (name.startsWith('.')) continue;
    const path = `${folder}/${name}`;
    const match = pattern.exec(name);
    if (match) found.push({ path, match });
    else problems.add(path, 1, `the name does not follow ${pattern.source}`);
  }
  return found;
}

function readSource(root: string, path: string, problems: Problems): Source | undefined {
  const text = readFileSync(join(root, path), 'utf8');
  if (text.startsWith('#!')) {
    problems.add(path, 1, 'a #! line is unknown to Redis 6.2: leave it out');
    return undefined;
  }
  if (text.includes('\r')) {
    problems.add(path, 1, 'has CR line ends: use LF, the SHA depends on it');
    return undefined;
  }
  try {
    const file = parseLua(path, text);
    return { file, header: parseHeader(file, problems), scopes: resolveScopes(file) };
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    problems.add(path, error.line, `syntax: ${error.message}`);
    return undefined;
  }
}
