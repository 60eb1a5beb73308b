import { child, identifier, type Node } from './ast.js';
import { type Edit, withEdits } from './edits.js';
import { boundBy, type Flat } from './flat.js';
import type { Problems } from './problems.js';
import type { ScriptSource } from './sources.js';
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

/**
 * Refuses names in `@usual` that the script does not reach. One whose text stands where it is called is none of them:
 * whether it does is decided by all that the bundle holds, and a header speaks of the sources.
 */
export function checkUsual(script: ScriptSource, { reached }: Parts, problems: Problems): void {
  const known = new Set(
    reached
      .filter(({ source }) => source !== script)
      .flatMap(({ statements }) => [...statements].map(functionName)),
  );
  for (const { name, line } of script.header.usual) {
    if (known.has(name)) continue;
    problems.add(
      script.file.path,
      line,
      `@usual names ${name}: the script reaches no such function`,
    );
  }
}

/**
 * The definitions of libs that an ordinary run does not need: functions that it does not call, and what only those use.
 * Both are made in one go, once per run, so that they share what they share when all stands in front.
 */
function rareStatements(script: ScriptSource, flat: Flat): ReadonlySet<Node> {
  const usual = new Set(script.header.usual.map(({ name }) => name));
  const rare = new Set<Node>();
  if (usual.size === 0) return rare;
  for (const statement of flat.defining) {
    const name = functionName(statement);
    if (name !== undefined && !usual.has(name)) rare.add(statement);
  }
  // What a local starts with is defined before it: the last one first.
  for (const statement of [...flat.defining].reverse()) {
    if (statement.type !== 'LocalStatement') continue;
    const uses = boundBy(flat, statement).flatMap((binding) => flat.uses.get(binding) ?? []);
    if (uses.every((use) => rare.has(use.statement))) rare.add(statement);
  }
  return rare;
}

/** `RARE.name` for each rare function, where it is made and where it is called. */
function rareNames(flat: Flat, rare: ReadonlySet<Node>): Edit[] {
  const edits: Edit[] = [];
  for (const statement of rare) {
    const name = functionName(statement);
    const [binding] = boundBy(flat, statement);
    const named = child(statement, 'identifier');
    if (name === undefined || !binding || !named) continue;
    const text = `function ${TABLE}.${name}`;
    edits.push({ at: statement.range[0], end: named.range[1], text });
    for (const { node } of flat.uses.get(binding) ?? []) {
      edits.push({ at: node.range[0], end: node.range[1], text: `${TABLE}.${name}` });
    }
  }
  return edits;
}

/** The lines of a bundle: the usual definitions, then those that are made when one of them is asked for, and the script. */
export function withRare(script: ScriptSource, flat: Flat): string[] {
  const rare = rareStatements(script, flat);
  const lines = withEdits(flat.file.text, rareNames(flat, rare)).split('\n');
  const codeOf = ({ loc }: Node) => lines.slice(loc.start.line - 1, loc.end.line);
  const usual = flat.defining.filter((statement) => !rare.has(statement)).flatMap(codeOf);
  const last = flat.defining.at(-1)?.loc.end.line ?? 0;
  const body = lines.slice(last).join('\n').trim();
  if (rare.size === 0) return [...usual, '', body];
  return [
    `local ${TABLE} = {}`,
    ...usual,
    `setmetatable(${TABLE}, { __index = function(_, name)`,
    `setmetatable(${TABLE}, nil)`,
    ...flat.defining.filter((statement) => rare.has(statement)).flatMap(codeOf),
    `return ${TABLE}[name]`,
    'end })',
    '',
    body,
  ];
}
