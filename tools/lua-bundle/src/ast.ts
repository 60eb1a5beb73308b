import luaparse from 'luaparse';

/** Where a node stands: lines from 1, characters from 0. */
export interface Location {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

/** Any node of luaparse's tree. Fields beyond these are read by the functions of this file. */
export interface Node {
  readonly type: string;
  readonly loc: Location;
  readonly range: readonly [number, number];
  readonly [field: string]: unknown;
}

/** One comment: its text without the dashes, and whether the line holds nothing but it. */
export interface Comment {
  readonly text: string;
  readonly raw: string;
  readonly line: number;
  readonly endLine: number;
  readonly alone: boolean;
}

/** A parsed Lua file. `path` is relative to the repository's root. */
export interface LuaFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly body: readonly Node[];
  readonly comments: readonly Comment[];
}

/** What luaparse throws at a syntax error. */
export interface LuaSyntaxError extends Error {
  readonly line: number;
}

export function isSyntaxError(error: unknown): error is LuaSyntaxError {
  return error instanceof SyntaxError && typeof (error as { line?: unknown }).line === 'number';
}

/** Parses a Lua 5.1 file. Throws a {@link LuaSyntaxError}. */
export function parseLua(path: string, text: string): LuaFile {
  const chunk = luaparse.parse(text, {
    luaVersion: '5.1',
    locations: true,
    ranges: true,
    comments: true,
  }) as Node;
  const lines = text.split('\n');
  const comments = (chunk.comments as readonly Node[]).map((node) => commentOf(node, lines));
  return { path, text, lines, body: nodes(chunk, 'body'), comments };
}

function commentOf(node: Node, lines: readonly string[]): Comment {
  const { start, end } = node.loc;
  const before = (lines[start.line - 1] ?? '').slice(0, start.column);
  const after = (lines[end.line - 1] ?? '').slice(end.column);
  return {
    text: String(node.value),
    raw: String(node.raw),
    line: start.line,
    endLine: end.line,
    alone: before.trim() === '' && after.trim() === '',
  };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** The child node in a field, if there is one. */
export function child(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

/** The child nodes in a field that holds a list (or a single node). */
export function nodes(node: Node, field: string): readonly Node[] {
  const value = node[field];
  if (Array.isArray(value)) return value.filter(isNode);
  return isNode(value) ? [value] : [];
}

/** All children, in the order of the text. */
export function children(node: Node): Node[] {
  const found: Node[] = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) found.push(...value.filter(isNode));
    else if (isNode(value)) found.push(value);
  }
  return found.sort((a, b) => a.range[0] - b.range[0]);
}

/** Visits a node and everything in it; `parent` is the node round it. */
export function walk(
  node: Node,
  visit: (node: Node, parent: Node | undefined) => void,
  parent?: Node,
): void {
  visit(node, parent);
  for (const inner of children(node)) walk(inner, visit, node);
}

/** The name, if the node is an identifier. */
export function identifier(node: Node | undefined): string | undefined {
  return node?.type === 'Identifier' ? String(node.name) : undefined;
}

/** The text of a quoted string literal without escapes; undefined for everything else. */
export function stringValue(node: Node | undefined): string | undefined {
  if (node?.type !== 'StringLiteral') return undefined;
  const raw = String(node.raw);
  return /^(['"])[^\\]*\1$/.test(raw) ? raw.slice(1, -1) : undefined;
}

/** The value of a number literal, with its sign. */
export function numberValue(node: Node | undefined): number | undefined {
  if (node?.type === 'NumericLiteral') return Number(node.value);
  if (node?.type !== 'UnaryExpression' || node.operator !== '-') return undefined;
  const positive = numberValue(child(node, 'argument'));
  return positive === undefined ? undefined : -positive;
}

/** `KEYS[3]` or `ARGV[3]`: the table's name and the index (undefined when it is no literal). */
export function positionOf(
  node: Node,
): { readonly table: 'KEYS' | 'ARGV'; readonly index: number | undefined } | undefined {
  if (node.type !== 'IndexExpression') return undefined;
  const table = identifier(child(node, 'base'));
  if (table !== 'KEYS' && table !== 'ARGV') return undefined;
  return { table, index: numberValue(child(node, 'index')) };
}
