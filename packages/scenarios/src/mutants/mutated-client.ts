import { createHash } from 'node:crypto';
import { type RedisClient, SCRIPTS } from '@echomq/core';
import type { Mutant } from './mutants.js';

/** A client whose server runs other scripts than the core believes, and how many they are. */
export interface MutatedClient {
  readonly client: RedisClient;
  /** Scripts in which the fault is planted. */
  readonly scripts: number;
}

/**
 * Plants a fault in every script where its text stands: the core sends what it always does, the client sends the
 * mutant in its place.
 *
 * @throws Error when the text stands nowhere: the fault is planted nowhere
 */
export async function mutatedClient(
  client: RedisClient,
  { name, from, to }: Mutant,
): Promise<MutatedClient> {
  const mutants = new Map<unknown, string>();
  const sources = new Map<unknown, string>();
  for (const { sha, source } of Object.values(SCRIPTS)) {
    const text = asIn(source, from);
    if (!source.includes(text)) continue;
    const mutated = source.replaceAll(text, asIn(source, to));
    mutants.set(sha, createHash('sha1').update(mutated).digest('hex'));
    sources.set(source, mutated);
    await client.send('SCRIPT', ['LOAD', mutated]);
  }
  if (mutants.size === 0) throw new Error(`the mutant '${name}' can be planted nowhere`);
  const send: RedisClient['send'] = (command, args) => {
    const other = command === 'EVALSHA' ? mutants : sources;
    return client.send(
      command,
      args.map((one) => other.get(one) ?? one),
    );
  };
  return {
    client: Object.assign(Object.create(client), { send }) as RedisClient,
    scripts: mutants.size,
  };
}

/** A text of a bundle, whose constants and keys are written out, where rare functions are called by their names alone. */
function asIn(source: string, text: string): string {
  const rare = new Set([...source.matchAll(/function RARE\.(\w+)\(/g)].map(([, name]) => name));
  return text.replaceAll(/(?<![\w.])(\w+)(?=\()/g, (name) =>
    rare.has(name) ? `RARE.${name}` : name,
  );
}
