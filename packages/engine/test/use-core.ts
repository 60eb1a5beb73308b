import { type QueueKeys, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { type FreshQueue, type UsedRedis, useStarted } from '@echomq/testkit';
import { QueueNames } from '../src/queue-names.js';

/** The core over a file's private server, beside its engine: for what a peer would do. */
export interface UsedCore {
  readonly store: Store;
  keysOf(queue: Pick<FreshQueue, 'name'>): QueueKeys;
}

/** Connects before the file's first test and closes after its last. */
export function useCore(redis: UsedRedis): UsedCore {
  const connected = useStarted(async () => {
    const client = connectRedis({ url: redis.url });
    await client.whenReady(AbortSignal.timeout(10_000));
    return { client, store: new Store(client), [Symbol.asyncDispose]: () => client.close() };
  });
  const names = new QueueNames('bull', false, 'auto');
  return {
    get store() {
      return connected.value.store;
    },
    keysOf: ({ name }) => names.resolve(name).keys,
  };
}
