import { type Node, walk } from './ast.js';
import type { Closures } from './includes.js';
import type { Lib, ScriptSource, Source, Sources } from './sources.js';

/** A file and those of its top-level statements that a script can come to. */
export interface Reached {
  readonly source: Source;
  readonly statements: ReadonlySet<Node>;
}

/** What a script can run: itself, and the definitions it uses, directly or through others. */
export type Reach = ReadonlyMap<ScriptSource, readonly Reached[]>;

/** Follows the names from each script through its libs. */
export function resolveReach(sources: Sources, closures: Closures): Reach {
  const reach = new Map<ScriptSource, readonly Reached[]>();
  for (const script of sources.scripts) {
    reach.set(script, reachOf(script, closures.get(script) ?? []));
  }
  return reach;
}

function reachOf(script: ScriptSource, libs: readonly Lib[]): Reached[] {
  const own = new Set(script.file.body);
  const found = new Map<Source, Set<Node>>([[script, own]]);
  const queue: [Source, Node][] = [...own].map((statement) => [script, statement]);
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [source, statement] = next;
    for (const reference of source.scopes.references) {
      if (reference.statement !== statement) continue;
      if (reference.binding && !(reference.binding.topLevel && source !== script)) continue;
      const inFile = reference.binding !== undefined;
      const lib = inFile
        ? (source as Lib)
        : libs.find((entry) => entry.defines.has(reference.name));
      for (const target of lib?.defines.get(reference.name) ?? []) {
        const known = found.get(lib as Lib) ?? new Set();
        if (known.has(target)) continue;
        found.set(lib as Lib, known.add(target));
        queue.push([lib as Lib, target]);
      }
    }
  }
  return [...found].map(([source, statements]) => ({ source, statements }));
}

/** Visits every node that the script can come to, with the file it stands in. */
export function walkReached(
  reached: readonly Reached[],
  visit: (node: Node, source: Source, parent: Node | undefined) => void,
): void {
  for (const { source, statements } of reached) {
    for (const statement of source.file.body) {
      if (statements.has(statement)) walk(statement, (node, parent) => visit(node, source, parent));
    }
  }
}
