import { child, identifier, type Node, nodes, stringValue } from './ast.js';

/** `redis.call(…)` or `redis.pcall(…)`: the command where it is written out, and what follows. */
export interface RedisCall {
  readonly line: number;
  readonly command: string | undefined;
  readonly args: readonly Node[];
}

/** `redis.call` or `redis.pcall` itself. */
export function isRedisCaller(node: Node | undefined): boolean {
  if (node?.type !== 'MemberExpression' || identifier(child(node, 'base')) !== 'redis')
    return false;
  return ['call', 'pcall'].includes(identifier(child(node, 'identifier')) ?? '');
}

/** Reads a call of Redis; undefined for every other node. */
export function redisCall(node: Node): RedisCall | undefined {
  if (!node.type.endsWith('CallExpression') || !isRedisCaller(child(node, 'base')))
    return undefined;
  const [first, ...args] = [...nodes(node, 'arguments'), ...nodes(node, 'argument')];
  return { line: node.loc.start.line, command: stringValue(first)?.toUpperCase(), args };
}
