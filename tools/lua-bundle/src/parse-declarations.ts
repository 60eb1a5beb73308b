import { type ArgumentType, isOpen, parseArgumentType } from './argument-type.js';
import { child, identifier, type LuaFile, type Node, nodes, positionOf, walk } from './ast.js';
import { checkNumbering, refuseRepeatedNames } from './checks/numbering.js';
import type { Problems } from './problems.js';

/** A key of a script, in its position. */
export interface KeyDeclaration {
  readonly name: string;
  readonly index: number;
  readonly line: number;
  /** Its comment: the Redis type, and what it holds. */
  readonly doc: string;
}

/** An argument of a script, in its position. `rest` takes all that follow. */
export interface ArgumentDeclaration extends ArgumentType {
  readonly name: string;
  readonly index: number;
  readonly line: number;
}

/** The declaration block of a script. */
export interface Declarations {
  readonly keys: readonly KeyDeclaration[];
  readonly args: readonly ArgumentDeclaration[];
  /** The line of `-- end of declarations`. */
  readonly endLine: number;
}

const END = /^\s*end of declarations\s*$/;

/** Reads the block between the header and `-- end of declarations`. */
export function parseDeclarations(
  file: LuaFile,
  keyCount: number,
  problems: Problems,
): Declarations {
  const end = file.comments.find((comment) => END.test(comment.text));
  if (!end) {
    problems.add(file.path, 1, 'the declaration block has no end: write -- end of declarations');
    return { keys: [], args: [], endLine: 0 };
  }
  const keys: KeyDeclaration[] = [];
  const args: ArgumentDeclaration[] = [];
  for (const statement of file.body) {
    if (statement.loc.start.line > end.line) break;
    const found = readStatement(file, statement, problems);
    keys.push(...found.keys);
    args.push(...found.args);
  }
  keys.sort((a, b) => a.index - b.index);
  args.sort((a, b) => a.index - b.index);
  refuseRepeatedNames(file.path, [keys, args], problems);
  checkNumbering({ file, keys, args, keyCount }, problems);
  return { keys, args, endLine: end.line };
}

interface Found {
  readonly keys: readonly KeyDeclaration[];
  readonly args: readonly ArgumentDeclaration[];
}

function readStatement(file: LuaFile, statement: Node, problems: Problems): Found {
  const line = statement.loc.start.line;
  const name = identifier(nodes(statement, 'variables')[0]);
  const init = nodes(statement, 'init')[0];
  const single =
    nodes(statement, 'variables').length === 1 && nodes(statement, 'init').length === 1;
  const refuse = (message: string): Found => {
    problems.add(file.path, line, message);
    return { keys: [], args: [] };
  };
  if (statement.type !== 'LocalStatement' || !single || !name || !init) {
    return refuse('the declaration block holds only `local NAME = …` of one key or argument');
  }
  const rest = restIndex(init);
  const positions = positionsIn(init);
  const onlyKeys = positions.length > 0 && positions.every(({ table }) => table === 'KEYS');
  if (init.type === 'TableConstructorExpression' && rest === undefined && onlyKeys) {
    return { keys: readTable(file, init, problems), args: [] };
  }
  const position = positions[0];
  if (positions.some(({ index }) => index !== position?.index))
    return refuse(`${name} takes more than one position`);
  if (rest === undefined && position?.index === undefined) {
    return refuse(`${name} is neither a key nor an argument: take KEYS[n] or ARGV[n], n a number`);
  }
  if (position?.table === 'KEYS') {
    if (positionOf(init) === undefined) return refuse(`key ${name} is to be KEYS[n], unchanged`);
    const doc = commentBeside(file, statement);
    return { keys: [{ name, index: position.index ?? 0, line, doc }], args: [] };
  }
  const type = parseArgumentType(commentBeside(file, statement));
  if ('error' in type) return refuse(`argument ${name} ${type.error}`);
  if ((type.type === 'strings...') !== (rest !== undefined)) {
    return refuse(`argument ${name}: strings... and {unpack(ARGV, n)} go together`);
  }
  return { keys: [], args: [{ ...type, name, index: rest ?? position?.index ?? 0, line }] };
}

function readTable(file: LuaFile, table: Node, problems: Problems): KeyDeclaration[] {
  const keys: KeyDeclaration[] = [];
  for (const field of nodes(table, 'fields')) {
    const line = field.loc.start.line;
    const value = child(field, 'value');
    const position = value && positionOf(value);
    const name = field.type === 'TableKeyString' ? identifier(child(field, 'key')) : undefined;
    if (!name || position?.table !== 'KEYS' || position.index === undefined) {
      problems.add(file.path, line, 'a table of keys holds only `name = KEYS[n]`, n a number');
      continue;
    }
    keys.push({ name, index: position.index, line, doc: commentBeside(file, field) });
  }
  return keys;
}

/** `{unpack(ARGV, n)}` gives n. */
function restIndex(init: Node): number | undefined {
  const fields = nodes(init, 'fields');
  const call = fields[0] && child(fields[0], 'value');
  if (init.type !== 'TableConstructorExpression' || fields.length !== 1) return undefined;
  if (call?.type !== 'CallExpression' || identifier(child(call, 'base')) !== 'unpack') {
    return undefined;
  }
  const [table, from, ...more] = nodes(call, 'arguments');
  if (identifier(table) !== 'ARGV' || more.length > 0) return undefined;
  return from?.type === 'NumericLiteral' ? Number(from.value) : undefined;
}

function positionsIn(node: Node): { table: 'KEYS' | 'ARGV'; index: number | undefined }[] {
  const found: { table: 'KEYS' | 'ARGV'; index: number | undefined }[] = [];
  walk(node, (inner) => {
    const position = positionOf(inner);
    if (position) found.push(position);
  });
  return found;
}

/**
 * The comment at the end of the node's last line; without one, the comment lines right above it.
 * A pack type may go on over the comment lines that follow until its brackets close.
 */
function commentBeside(file: LuaFile, node: Node): string {
  const line = node.loc.end.line;
  const byLine = new Map(file.comments.map((comment) => [comment.line, comment]));
  const beside = byLine.get(line);
  if (beside) {
    let text = beside.text;
    for (let next = line + 1; isOpen(text) && byLine.get(next)?.alone; next++) {
      text += `\n${byLine.get(next)?.text ?? ''}`;
    }
    return text.trim();
  }
  const above: string[] = [];
  for (let at = node.loc.start.line - 1; byLine.get(at)?.alone; at--) {
    above.unshift(byLine.get(at)?.text ?? '');
  }
  return above.join('\n').trim();
}
