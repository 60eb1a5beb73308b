import { child, identifier, type Node, nodes } from './ast.js';
import type { Edit } from './edits.js';
import { boundBy, type Flat, withoutStatement } from './flat.js';

const ARITHMETIC = ['+', '-', '*', '/', '%', '^'];

/** The text of a number with its sign, or of a quoted string; undefined for everything else. */
function literal({ file }: Flat, node: Node | undefined): string | undefined {
  if (!node || node.inParens === true) return undefined;
  const text = file.text.slice(...node.range);
  if (node.type === 'StringLiteral') return text.startsWith('[') ? undefined : text;
  const number =
    node.type === 'UnaryExpression' && node.operator === '-' ? child(node, 'argument') : node;
  return number?.type === 'NumericLiteral' && number.inParens !== true ? text : undefined;
}

/** The values of a table that has nothing but names with literals. */
function literals(flat: Flat, table: Node): Map<string, string> | undefined {
  const found = new Map<string, string>();
  for (const field of nodes(table, 'fields')) {
    const key = field.type === 'TableKeyString' ? identifier(child(field, 'key')) : undefined;
    const value = literal(flat, child(field, 'value'));
    if (key === undefined || value === undefined || found.has(key)) return undefined;
    found.set(key, value);
  }
  return found;
}

/** Whether a value is taken there, and not written, called or looked into. */
function isTaken(node: Node, parent: Node | undefined): boolean {
  if (!parent || child(parent, 'base') === node) return false;
  if (parent.type === 'AssignmentStatement') return !nodes(parent, 'variables').includes(node);
  return parent.type !== 'FunctionDeclaration';
}

/** A literal in the place of a node, in brackets where its sign or its dot would run into an operator. */
function inPlace(node: Node, parent: Node | undefined, text: string): Edit {
  const number = /^[-.\d]/.test(text);
  const operator = parent?.type.endsWith('Expression') ? String(parent.operator) : '';
  const runsInto =
    number && (operator === '..' || (text.startsWith('-') && ARITHMETIC.includes(operator)));
  return { at: node.range[0], end: node.range[1], text: runsInto ? `(${text})` : text };
}

/** How each use of a scalar is written; undefined where one is no plain use. */
function scalarUses(flat: Flat, uses: readonly Node[], value: string): Edit[] | undefined {
  const edits: Edit[] = [];
  for (const node of uses) {
    const parent = flat.parents.get(node);
    if (!isTaken(node, parent)) return undefined;
    edits.push(inPlace(node, parent, value));
  }
  return edits;
}

/** How each use of a table's members is written; undefined where one is no `NAME.key` of a known key. */
function memberUses(
  flat: Flat,
  uses: readonly Node[],
  values: ReadonlyMap<string, string>,
): Edit[] | undefined {
  const edits: Edit[] = [];
  for (const node of uses) {
    const member = flat.parents.get(node);
    if (member?.type !== 'MemberExpression' || child(member, 'base') !== node) return undefined;
    const value = values.get(identifier(child(member, 'identifier')) ?? '');
    const parent = flat.parents.get(member);
    if (member.indexer !== '.' || value === undefined || !isTaken(member, parent)) return undefined;
    edits.push(inPlace(member, parent, value));
  }
  return edits;
}

/**
 * Redis makes each constant of a script anew at each call, tables above all. A top-level name of a lib that is a literal,
 * or a table of them that is only ever read by its keys, goes; what it stands for is written where it is used.
 */
export function constantEdits(flat: Flat): Edit[] {
  return flat.defining.flatMap((statement) => {
    const [value, ...more] = nodes(statement, 'init');
    const [binding, ...others] = boundBy(flat, statement);
    const gone = withoutStatement(flat, statement);
    if (statement.type !== 'LocalStatement' || !value || !binding || !gone) return [];
    if (more.length > 0 || others.length > 0) return [];
    const references = flat.uses.get(binding) ?? [];
    if (references.some(({ write }) => write)) return [];
    const uses = references.map(({ node }) => node);
    const scalar = literal(flat, value);
    if (scalar !== undefined) return withGone(gone, scalarUses(flat, uses, scalar));
    const values = value.type === 'TableConstructorExpression' ? literals(flat, value) : undefined;
    return values ? withGone(gone, memberUses(flat, uses, values)) : [];
  });
}

function withGone(gone: Edit, edits: readonly Edit[] | undefined): Edit[] {
  return edits ? [gone, ...edits] : [];
}
