import { child, children, identifier, type Node, nodes } from './ast.js';
import type { Edit } from './edits.js';
import { boundBy, type Flat, withoutStatement } from './flat.js';

/** A function that joins texts: its parameters, and the parts in their order, a parameter by its name. */
interface Joining {
  readonly parameters: readonly string[];
  readonly parts: readonly { readonly parameter?: string; readonly text: string }[];
}

/** Parents in which a joined text needs no brackets: a value as a whole, or a part of a longer text. */
const OPEN = [
  ...['CallExpression', 'TableValue', 'TableKey', 'TableKeyString', 'IndexExpression'],
  ...['ReturnStatement', 'LocalStatement', 'AssignmentStatement'],
];

const isJoin = (node: Node) => node.type === 'BinaryExpression' && node.operator === '..';

/** The parts of `a .. b .. c`, in their order. */
function partsOf(node: Node): Node[] {
  if (!isJoin(node)) return [node];
  return [...nodes(node, 'left'), ...nodes(node, 'right')].flatMap(partsOf);
}

/** A text in quotes: `[[…]]` right behind another bracket would be something else. */
const isQuoted = ({ type, raw }: Node) => type === 'StringLiteral' && !String(raw).startsWith('[');

/** Reads `local function x(a, b) return a .. ':' .. b end`; undefined for every other statement. */
function joiningOf({ file }: Flat, statement: Node): Joining | undefined {
  if (statement.type !== 'FunctionDeclaration' || statement.isLocal !== true) return undefined;
  const parameters = nodes(statement, 'parameters').map((node) => identifier(node) ?? '...');
  const [last, ...before] = nodes(statement, 'body');
  const [value, ...others] = last?.type === 'ReturnStatement' ? nodes(last, 'arguments') : [];
  if (!value || before.length > 0 || others.length > 0 || !isJoin(value)) return undefined;
  const parts: { parameter?: string; text: string }[] = [];
  for (const node of partsOf(value)) {
    const text = file.text.slice(...node.range);
    const parameter = identifier(node);
    const isKnown = parameter !== undefined && parameters.includes(parameter);
    if (!isKnown && !isQuoted(node)) return undefined;
    parts.push(parameter === undefined ? { text } : { parameter, text });
  }
  const used = new Set(parts.map(({ parameter }) => parameter));
  const each = new Set(parameters).size === parameters.length;
  return each && parameters.every((name) => used.has(name)) ? { parameters, parts } : undefined;
}

const isName = ({ type }: Node) => ['Identifier', 'StringLiteral', 'NumericLiteral'].includes(type);

/** Whether it can be evaluated at any time: it calls nothing. */
function isQuiet(node: Node): boolean {
  const quiet = ['MemberExpression', 'IndexExpression', 'BinaryExpression'];
  return isName(node) || (quiet.includes(node.type) && children(node).every(isQuiet));
}

/** Whether the function's body does with these arguments what a call does: each evaluated once, in the same order. */
function fits({ parameters, parts }: Joining, args: readonly Node[]): boolean {
  if (args.length !== parameters.length || args.some(({ type }) => type === 'VarargLiteral')) {
    return false;
  }
  const order = parts.flatMap(({ parameter }) => parameter ?? []);
  if (order.join() === parameters.join()) return true;
  return args.every((node, at) => {
    const times = order.filter((name) => name === parameters[at]).length;
    return isName(node) || (times === 1 && isQuiet(node));
  });
}

/** An argument as a part of a longer text. */
function asPart({ file }: Flat, node: Node): string {
  const text = file.text.slice(...node.range);
  const bare = ['Identifier', 'MemberExpression', 'IndexExpression'];
  return bare.includes(node.type) ||
    isQuoted(node) ||
    isJoin(node) ||
    node.type.endsWith('CallExpression')
    ? text
    : `(${text})`;
}

/** The call that a name's use belongs to, where the body may stand in its place. */
function callOf({ parents }: Flat, name: Node): Node | undefined {
  const call = parents.get(name);
  if (call?.type !== 'CallExpression' || child(call, 'base') !== name) return undefined;
  const parent = parents.get(call);
  // A text alone is no statement, and one that is looked into would begin a line with a bracket.
  const fitsIn = parent && parent.type !== 'CallStatement' && child(parent, 'base') !== call;
  return fitsIn ? call : undefined;
}

function written(flat: Flat, { parameters, parts }: Joining, call: Node): Edit {
  const args = nodes(call, 'arguments');
  const texts = parts.map(({ parameter, text }) => {
    const node = parameter === undefined ? undefined : args[parameters.indexOf(parameter)];
    return node ? asPart(flat, node) : text;
  });
  const parent = flat.parents.get(call);
  const open = parent && (OPEN.includes(parent.type) || isJoin(parent));
  const text = texts.join(' .. ');
  return { at: call.range[0], end: call.range[1], text: open ? text : `(${text})` };
}

/**
 * A function of a lib that only joins texts, such as a key's, goes where all its uses are plain calls; the text is joined
 * where it is called. A call with another one among its arguments waits for the next round.
 */
export function callEdits(flat: Flat): Edit[] {
  const wanted = new Map<Node, { readonly joining: Joining; readonly statement: Node }>();
  for (const statement of flat.defining) {
    const joining = joiningOf(flat, statement);
    const [binding] = joining ? boundBy(flat, statement) : [];
    if (!joining || !binding || !withoutStatement(flat, statement)) continue;
    const calls = (flat.uses.get(binding) ?? []).map(({ node, write }) =>
      write ? undefined : callOf(flat, node),
    );
    if (!calls.every((call) => call && fits(joining, nodes(call, 'arguments')))) continue;
    for (const call of calls) if (call) wanted.set(call, { joining, statement });
  }
  const waiting = new Set<Node>();
  for (const call of wanted.keys()) {
    for (let round = flat.parents.get(call); round; round = flat.parents.get(round)) {
      if (wanted.has(round)) waiting.add(round);
    }
  }
  const kept = new Set([...waiting].map((call) => wanted.get(call)?.statement));
  const gone = new Set([...wanted.values()].map(({ statement }) => statement));
  const edits = [...wanted].filter(([call]) => !waiting.has(call));
  return [
    ...edits.map(([call, { joining }]) => written(flat, joining, call)),
    ...[...gone]
      .filter((statement) => !kept.has(statement))
      .flatMap((statement) => withoutStatement(flat, statement) ?? []),
  ];
}
