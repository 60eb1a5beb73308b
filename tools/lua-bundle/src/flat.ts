import { type LuaFile, type Node, parseLua, walk } from './ast.js';
import { type Edit, withEdits } from './edits.js';
import { type Binding, type Reference, resolveScopes, type Scopes } from './scope.js';

/** The two halves of a bundle, each as text: what its libs define, and the script itself. */
export interface Halves {
  readonly libs: string;
  readonly body: string;
}

/** A bundle read as the one file that it is, so that a name means what it means to Redis. */
export interface Flat {
  readonly file: LuaFile;
  readonly scopes: Scopes;
  /** The top-level statements of the libs' half. */
  readonly defining: readonly Node[];
  /** The node round a node. */
  readonly parents: ReadonlyMap<Node, Node>;
  /** Where a name is used that is bound there. */
  readonly uses: ReadonlyMap<Binding, readonly Reference[]>;
}

/** Puts the halves together and reads them. */
export function flatten(path: string, { libs, body }: Halves): Flat {
  const file = parseLua(path, `${libs}\n${body}`);
  const scopes = resolveScopes(file);
  const parents = new Map<Node, Node>();
  for (const statement of file.body) {
    walk(statement, (node, parent) => parent && parents.set(node, parent));
  }
  const uses = new Map<Binding, Reference[]>();
  for (const binding of scopes.bindings) uses.set(binding, []);
  for (const reference of scopes.references) {
    if (reference.binding) uses.get(reference.binding)?.push(reference);
  }
  const defining = file.body.filter(({ range }) => range[0] < libs.length);
  return { file, scopes, defining, parents, uses };
}

/** What a top-level statement of the libs binds. */
export function boundBy({ scopes }: Flat, statement: Node): Binding[] {
  const [from, to] = statement.range;
  return scopes.bindings.filter(
    ({ topLevel, node }) => topLevel && node.range[0] >= from && node.range[1] <= to,
  );
}

/** Takes a statement out with its lines; nothing where it shares them with another. */
export function withoutStatement({ file }: Flat, { range, loc }: Node): Edit | undefined {
  const before = (file.lines[loc.start.line - 1] ?? '').slice(0, loc.start.column);
  const after = (file.lines[loc.end.line - 1] ?? '').slice(loc.end.column);
  if (before.trim() !== '' || !/^\s*(--(?!\[).*)?$/.test(after)) return undefined;
  return { at: range[0] - before.length, end: range[1] + after.length + 1, text: '' };
}

/** The halves with edits made, each of which lies within one of them. */
export function editHalves({ libs, body }: Halves, edits: readonly Edit[]): Halves {
  const start = libs.length + 1;
  const ofBody = edits
    .filter(({ at }) => at >= start)
    .map(({ at, end, text }) => ({ at: at - start, end: end - start, text }));
  // The last definition is taken out with the line break between the halves, which is not its own.
  const ofLibs = edits
    .filter(({ at }) => at < start)
    .map((edit) => ({ ...edit, end: Math.min(edit.end, libs.length) }));
  return { libs: withEdits(libs, ofLibs), body: withEdits(body, ofBody) };
}
