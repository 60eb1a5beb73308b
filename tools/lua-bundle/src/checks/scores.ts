import { identifier, isNode, type Node, stringValue, walk } from '../ast.js';
import type { Problems } from '../problems.js';
import { isRedisCaller, redisCall } from '../redis-calls.js';
import type { Source, Sources } from '../sources.js';

const RANGE = (args: readonly Node[]) => args.slice(1, 3);

/** Per command, which arguments are scores. */
const SCORES: Readonly<Record<string, (args: readonly Node[]) => readonly Node[]>> = {
  ZADD: zaddScores,
  ZINCRBY: (args) => args.slice(1, 2),
  ZCOUNT: RANGE,
  ZRANGEBYSCORE: RANGE,
  ZREVRANGEBYSCORE: RANGE,
  ZREMRANGEBYSCORE: RANGE,
  ZRANGE: (args) => (args.some((arg) => stringValue(arg) === 'BYSCORE') ? RANGE(args) : []),
};

/**
 * Refuses `..` on a score: Lua prints a number with 14 digits, a score has up to 16. Also refuses
 * `redis.call` as a value, because a call under another name escapes this check and the queries'.
 */
export function checkScores(sources: Sources, problems: Problems): void {
  for (const source of [...sources.libs.values(), ...sources.scripts]) {
    for (const statement of source.file.body) {
      walk(statement, (node, parent) => {
        checkCaller(source, node, parent, problems);
        const call = redisCall(node);
        const scores = call?.command ? SCORES[call.command]?.(call.args) : undefined;
        for (const score of scores ?? []) {
          if (!concatenates(score) && !concatenates(initOf(source, score))) continue;
          const message = `${call?.command} with .. on a score: .. prints 14 digits, pass a number`;
          problems.add(source.file.path, score.loc.start.line, message);
        }
      });
    }
  }
}

function checkCaller(
  source: Source,
  node: Node,
  parent: Node | undefined,
  problems: Problems,
): void {
  const called = parent?.type.endsWith('CallExpression') && parent.base === node;
  const hidesCaller = isRedisCaller(node) && !called;
  const hidesRedis =
    identifier(node) === 'redis' &&
    !(parent?.type === 'MemberExpression' && (parent.base === node || parent.identifier === node));
  if (!hidesCaller && !hidesRedis) return;
  const message = 'redis.call under another name escapes the checks: call it in place';
  problems.add(source.file.path, node.loc.start.line, message);
}

/** key [NX|XX|GT|LT|CH|INCR …] score member [score member …] */
function zaddScores(args: readonly Node[]): readonly Node[] {
  let first = 1;
  while (/^(NX|XX|GT|LT|CH|INCR)$/i.test(stringValue(args[first]) ?? '')) first++;
  return args.slice(first).filter((_, at) => at % 2 === 0);
}

function concatenates(node: Node | undefined): boolean {
  let found = false;
  if (!node) return false;
  walk(node, (inner) => {
    if (inner.operator === '..') found = true;
  });
  return found;
}

/** What a local that is passed as a score started with. */
function initOf(source: Source, node: Node): Node | undefined {
  if (identifier(node) === undefined) return undefined;
  const init = source.scopes.references.find((entry) => entry.node === node)?.binding?.init;
  return isNode(init) && init.type !== 'FunctionDeclaration' ? init : undefined;
}
