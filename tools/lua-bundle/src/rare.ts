import { child, identifier, type Node } from './ast.js';
import type { Problems } from './problems.js';
import type { ScriptSource, Source } from './sources.js';
import type { Parts } from './write-dist.js';

/**
 * Redis makes the functions of a script anew at each call, about 0.1 µs each whether they are called or not. A script
 * whose header names the functions of an ordinary run (`@usual`) makes those; all others stand in a function of their own,
 * which runs when the first of them is called.
 */
const TABLE = 'RARE';

/** The name of a top-level `local function`. */
function functionName(statement: Node): string | undefined {
  if (statement.type !== 'FunctionDeclaration' || statement.isLocal !== true) return undefined;
  return identifier(child(statement, 'identifier'));
}

function reachedFunctions({ reached }: Parts, script: ScriptSource): Set<string> {
  const names = reached
    .filter(({ source }) => source !== script)
    .flatMap(({ statements }) => [...statements].map(functionName));
  return new Set(names.filter((name) => name !== undefined));
}

/** Refuses names in `@usual` that the script does not reach. */
export function checkUsual(script: ScriptSource, parts: Parts, problems: Problems): void {
  const known = reachedFunctions(parts, script);
  for (const { name, line } of script.header.usual) {
    if (known.has(name)) continue;
    problems.add(
      script.file.path,
      line,
      `@usual names ${name}: the script reaches no such function`,
    );
  }
}

/** The functions of libs that the script can come to and an ordinary run does not call. */
export function rareFunctions(script: ScriptSource, parts: Parts): ReadonlySet<string> {
  const { usual } = script.header;
  if (usual.length === 0) return new Set();
  const rare = reachedFunctions(parts, script);
  for (const { name } of usual) rare.delete(name);
  return rare;
}

/** Whether the statement makes one of them. */
export function isRare(statement: Node, rare: ReadonlySet<string>): boolean {
  const name = functionName(statement);
  return name !== undefined && rare.has(name);
}

/** The text of a file with `RARE.name` for each of them; its lines stay where they are. */
export function withRareNames({ file, scopes }: Source, rare: ReadonlySet<string>): string {
  const edits: { readonly at: number; readonly end: number; readonly text: string }[] = [];
  for (const { name, node, binding } of scopes.references) {
    // A local of that name inside a function is another one.
    if (!rare.has(name) || (binding && !binding.topLevel)) continue;
    edits.push({ at: node.range[0], end: node.range[1], text: `${TABLE}.${name}` });
  }
  for (const statement of file.body) {
    const named = child(statement, 'identifier');
    if (!named || !isRare(statement, rare)) continue;
    const text = `function ${TABLE}.${String(named.name)}`;
    edits.push({ at: statement.range[0], end: named.range[1], text });
  }
  let text = file.text;
  for (const { at, end, text: by } of edits.sort((a, b) => b.at - a.at)) {
    text = text.slice(0, at) + by + text.slice(end);
  }
  return text;
}

/** The definitions of a bundle: the usual ones, then those that are made when one of them is asked for. */
export function loading(usual: readonly string[], rare: readonly string[]): string[] {
  if (rare.length === 0) return [...usual];
  return [
    `local ${TABLE} = {}`,
    ...usual,
    `setmetatable(${TABLE}, { __index = function(_, name)`,
    `setmetatable(${TABLE}, nil)`,
    ...rare,
    `return ${TABLE}[name]`,
    'end })',
  ];
}
