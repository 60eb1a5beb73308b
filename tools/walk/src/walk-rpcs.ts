import { type RpcSubject, readRpcs } from './subjects.js';
import type { Tree } from './tree.js';

const SERVICES = 'packages/engine/src/services';

/**
 * What the RPCs of the contract lack in the engine. An RPC has a file of its name and a test that mentions it, or its
 * service says `unavailable('NAME')` and clients read in GetServerInfo that it is.
 */
export function walkRpcs(tree: Tree): readonly string[] {
  const rpcs = readRpcs(tree);
  const unavailable = namesDeclaredUnavailable(tree);
  const tests = tree
    .scripts('packages/engine')
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => tree.text(path));
  const known = new Set(rpcs.map(({ name }) => name));
  return [
    ...rpcs.flatMap((rpc) => walkRpc(tree, rpc, { unavailable, tests })),
    ...[...unavailable.keys()]
      .filter((name) => !known.has(name))
      .map((name) => `${unavailable.get(name)}: ${name} is no rpc of the contract`),
  ];
}

interface Engine {
  /** Names with the file that declares them. */
  readonly unavailable: ReadonlyMap<string, string>;
  readonly tests: readonly string[];
}

function walkRpc(tree: Tree, rpc: RpcSubject, { unavailable, tests }: Engine): string[] {
  const { name, method, service } = rpc;
  const file = `${SERVICES}/${service}/${method}.ts`;
  const declared = unavailable.get(name);
  if (declared !== undefined) {
    return tree.has(file)
      ? [`${declared}: ${name} is declared unavailable, and ${file} is there`]
      : [];
  }
  if (!tree.has(file)) return [`${file}: missing: ${name} (${rpc.path}:${rpc.line})`];
  const mention = new RegExp(`\\b(${method}|${name})\\b`);
  const tested = tests.some((text) => mention.test(text));
  const test = file.replace(/\.ts$/, '.test.ts');
  return tested ? [] : [`${test}: missing: no test of the engine mentions ${name}`];
}

function namesDeclaredUnavailable(tree: Tree): ReadonlyMap<string, string> {
  return new Map(
    tree
      .scripts(SERVICES)
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) =>
        [...tree.text(path).matchAll(/\bunavailable\w*(?:<[^>]*>)?\('(\w+)'\)/g)].map(
          ([, name = '']) => [name, path] as const,
        ),
      ),
  );
}
