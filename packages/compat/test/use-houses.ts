import { Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { embedded } from '@echomq/sdk/embedded';
import { type FreshQueue, useRedis, useStarted } from '@echomq/testkit';
import { afterEach } from 'vitest';
import type { Peer } from '../src/oracle/peers.js';
import { type BullHouse, bullHouse } from '../src/peers/bull-house.js';
import { coreHouse } from '../src/peers/core-house.js';
import type { House } from '../src/peers/house.js';
import { sdkHouse } from '../src/peers/sdk-house.js';

/** The ways in which EchoMQ takes part. */
export const WAYS = ['core', 'SDK'] as const;

export type Way = (typeof WAYS)[number];

/** A queue that EchoMQ and BullMQ share. */
export interface SharedQueue {
  readonly queue: FreshQueue;
  readonly echo: House;
  readonly bull: BullHouse;
}

/** Gives a test file a server, and queues with both systems at them; all is closed after each test. */
export function useHouses(): (peer: Peer, way: Way) => SharedQueue {
  const redis = useRedis();
  const connected = useStarted(async () => {
    const client = connectRedis({ url: redis.url });
    await client.whenReady(AbortSignal.timeout(10_000));
    return { store: new Store(client), [Symbol.asyncDispose]: () => client.close() };
  });
  const open: House[] = [];
  afterEach(async () => {
    for (const house of open.splice(0)) await house.close();
  });
  return (peer, way) => {
    const queue = redis.freshQueue();
    const { socketPath } = redis.server;
    if (socketPath === undefined) throw new Error('the server has no socket');
    const ground = { store: connected.value.store, connect: () => redis.connect() };
    const echo =
      way === 'core'
        ? coreHouse(ground, queue.name)
        : sdkHouse(embedded({ redis: redis.url }), queue.name);
    const bull = bullHouse(peer, socketPath, queue.name);
    open.push(echo, bull);
    return { queue, echo, bull };
  };
}
