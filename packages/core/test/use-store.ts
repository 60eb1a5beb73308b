import {
  type FreshQueue,
  type PrivateRedisOptions,
  type QueueDump,
  type UsedRedis,
  useRedis,
  useStarted,
} from '@echomq/testkit';
import { expect } from 'vitest';
import { connectRedis } from '../src/ioredis/index.js';
import { QueueKeys } from '../src/keys.js';
import type { RedisClient } from '../src/redis-client.js';
import { TransitionRejected } from '../src/rejections.js';
import { Store } from '../src/store.js';

/** The instant at which the tests' transitions happen, ms since the epoch. */
export const NOW = 1_700_000_000_000;

/** The `meta` hash that every seed begins with: without it the first trimmed event writes it. */
export const META = { 'opts.maxLenEvents': '10000' };

/** A queue under test with the names of its keys. */
export interface TestQueue extends FreshQueue {
  readonly keys: QueueKeys;
}

/** A private server with a store on it. */
export interface UsedStore {
  readonly redis: UsedRedis;
  readonly store: Store;
  /** A queue that no other test knows; of the same prefix for each call. */
  queue(name?: string): TestQueue;
}

/** Gives a test file a server and a store, ended after its last test. */
export function useStore(options: PrivateRedisOptions = {}): UsedStore {
  const redis = useRedis(options);
  const connected = useStarted(async () => ready(connectRedis({ url: redis.url })));
  return {
    redis,
    get store() {
      return connected.value.store;
    },
    queue: (name) => testQueue(redis.freshQueue(name === undefined ? {} : { name })),
  };
}

/** A store over a client, once that is ready; closes the client at the end. */
export async function ready(
  client: RedisClient,
): Promise<{ readonly client: RedisClient; readonly store: Store } & AsyncDisposable> {
  await client.whenReady(AbortSignal.timeout(10_000));
  return { client, store: new Store(client), [Symbol.asyncDispose]: () => client.close() };
}

/** Adds the keys' names to a queue of the testkit. */
export function testQueue(queue: FreshQueue): TestQueue {
  return Object.assign(queue, { keys: new QueueKeys(queue.prefix, queue.name) });
}

/**
 * Runs a transition that must be refused, and asserts that the refusal wrote nothing.
 *
 * @returns the reason
 */
export async function refusal(queue: FreshQueue, call: () => Promise<unknown>): Promise<string> {
  const before = await queue.read();
  let reason = 'accepted';
  try {
    await call();
  } catch (error) {
    if (!(error instanceof TransitionRejected)) throw error;
    reason = error.reason;
  }
  expect(await queue.read()).toEqual(before);
  return reason;
}

/** The events of a dump without the fields that a test does not ask about. */
export function events(dump: QueueDump): Record<string, string>[] {
  return (dump.events ?? []) as Record<string, string>[];
}

/** Every event of a dump as its names and values in their order, for where the order counts. */
export function eventLines(dump: QueueDump): string[] {
  return events(dump).map((event) =>
    Object.entries(event)
      .map(([field, value]) => `${field}=${value}`)
      .join(' '),
  );
}
