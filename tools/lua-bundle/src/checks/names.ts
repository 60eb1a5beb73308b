import { type Node, walk } from '../ast.js';
import { includedLibs } from '../includes.js';
import type { Problems } from '../problems.js';
import type { Lib, ScriptSource, Source, Sources } from '../sources.js';

/** What Redis gives every script; nothing else may be read, and none of it assigned. */
const GLOBALS = new Set(
  (
    'redis cjson cmsgpack bit math string table tonumber tostring type pairs ipairs next ' +
    'select unpack pcall error assert'
  ).split(' '),
);

/**
 * Refuses unknown globals, assignment to a global or to a lib's name, names of libs that the file
 * does not include, includes that it does not need, and KEYS or ARGV outside the block.
 */
export function checkNames(sources: Sources, problems: Problems): void {
  const owners = new Map<string, Lib>();
  for (const lib of sources.libs.values()) {
    for (const [name, [statement]] of lib.defines) {
      const other = owners.get(name);
      const line = statement?.loc.start.line ?? 1;
      if (other) problems.add(lib.file.path, line, `${name} is defined in ${other.file.path} too`);
      else owners.set(name, lib);
    }
  }
  const known: Known = { sources, owners };
  for (const lib of sources.libs.values()) checkFile(lib, 0, known, problems);
  for (const script of sources.scripts) {
    checkFile(script, script.declarations.endLine, known, problems);
    refuseHiddenPositions(script, problems);
  }
}

/** All sources, and which lib defines a name. */
interface Known {
  readonly sources: Sources;
  readonly owners: ReadonlyMap<string, Lib>;
}

function checkFile(
  source: Source,
  blockEnd: number,
  { sources, owners }: Known,
  problems: Problems,
): void {
  const { path } = source.file;
  const visible = includedLibs(source, sources);
  const used = new Set<string>();
  for (const { name, line, write, binding } of source.scopes.references) {
    if (binding) continue;
    const lib = owners.get(name);
    const isPosition = name === 'KEYS' || name === 'ARGV';
    if (lib) used.add(lib.name);
    if (write) {
      problems.add(path, line, `assigns to ${name}, which is no local of this file`);
    } else if (isPosition && line > blockEnd) {
      problems.add(path, line, `${name} stands outside the declaration block: name it there`);
    } else if (lib && !visible.has(lib)) {
      problems.add(
        path,
        line,
        `${name} is in lua/lib/${lib.name}.lua: add ${lib.name} to @include`,
      );
    } else if (!lib && !isPosition && !GLOBALS.has(name)) {
      problems.add(path, line, `unknown global ${name}`);
    }
  }
  for (const { name, line } of source.header.includes) {
    if (sources.libs.has(name) && !used.has(name))
      problems.add(path, line, `includes ${name} but uses nothing of it`);
  }
}

/** Functions in the block could hide a position that the numbering does not see. */
function refuseHiddenPositions(script: ScriptSource, problems: Problems): void {
  const inBlock = (node: Node) => node.loc.start.line <= script.declarations.endLine;
  for (const statement of script.file.body.filter(inBlock)) {
    walk(statement, (node) => {
      if (node.type === 'FunctionDeclaration') {
        problems.add(script.file.path, node.loc.start.line, 'no function in the declaration block');
      }
    });
  }
}
