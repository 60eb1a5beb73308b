import { type RedisClient, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { useRedis, useStarted } from '@echomq/testkit';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { drive, loadScripts } from '../../src/model/drive.js';
import { keptText } from '../../src/model/kept.js';
import type { Plan, WorldPlan } from '../../src/model/plan.js';
import { commands, worlds } from './draw.js';

/** Gives a test file a server of its own with a store. The server is emptied by each sequence. */
export function useModel(): {
  readonly client: RedisClient;
  readonly store: Store;
  /** Another connection, to look. */
  readonly admin: Redis;
} {
  const redis = useRedis();
  const started = useStarted(async () => {
    const client = connectRedis({ url: redis.url });
    await client.whenReady(AbortSignal.timeout(10_000));
    const store = new Store(client);
    await loadScripts(store);
    return { client, store, [Symbol.asyncDispose]: () => client.close() };
  });
  return {
    get admin() {
      return redis.client;
    },
    get client() {
      return started.value.client;
    },
    get store() {
      return started.value.store;
    },
  };
}

/** How long to look for differences. */
export interface Search {
  readonly seed: number;
  /** Transitions to make at least, unless the time is over. */
  readonly transitions: number;
  readonly limitMs?: number;
  /** Told after each check how many there were so far. */
  readonly soFar?: (transitions: number) => void;
}

/** Sequences in one check: a few, so that the count is looked at in between. */
const SEQUENCES = 20;
/** Commands in a sequence, at most. */
const LENGTH = 80;

/**
 * Draws sequences and drives them until there were enough.
 *
 * @returns how many transitions there were
 * @throws Error with the shrunk sequence, to be kept
 */
export async function search(
  store: Store,
  { seed, transitions, limitMs, soFar }: Search,
): Promise<number> {
  const until = performance.now() + (limitMs ?? Number.POSITIVE_INFINITY);
  let count = 0;
  for (let round = 0; count < transitions && performance.now() < until; round++) {
    const sequence = fc.asyncProperty(worlds, commands(LENGTH), async (world, plans) => {
      count += await drive(store, world, plans);
    });
    const found = await fc.check(sequence, {
      seed: seed + round,
      numRuns: SEQUENCES,
      ...(limitMs === undefined ? {} : { interruptAfterTimeLimit: limitMs }),
    });
    if (found.failed) throw failure(found, seed + round);
    soFar?.(count);
  }
  return count;
}

function failure(found: fc.RunDetails<[WorldPlan, Plan[]]>, seed: number): Error {
  const [world, plans] = found.counterexample ?? [{}, []];
  const kept = `world: ${JSON.stringify(world)},\nplans: ${keptText(plans)}`;
  return new Error(`seed ${seed}: ${found.errorInstance}\n${kept}`);
}
