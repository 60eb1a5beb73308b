import { setMaxListeners } from 'node:events';
import { EchoMQError, type RedisClient, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import {
  type FreshQueue,
  type PrivateRedisOptions,
  type UsedRedis,
  useRedis,
  useStarted,
} from '@echomq/testkit';
import { Adds } from '../src/dispatch/adds.js';
import { DEFAULT_LIMITS, type Limits } from '../src/limits.js';
import { type EngineDeps, silentLogger, systemClock } from '../src/ports.js';
import { QueueNames } from '../src/queue-names.js';
import { AddSlots } from '../src/receipts/add-slots.js';
import type { CallContext } from '../src/service.js';

/** A private server with what services are made of. */
export interface UsedServices {
  readonly redis: UsedRedis;
  readonly client: RedisClient;
  readonly deps: EngineDeps;
  queue(name?: string): FreshQueue;
}

/** Gives a test file a server and the services' dependencies, ended after its last test. */
export function useServices(options: PrivateRedisOptions = {}): UsedServices {
  const redis = useRedis(options);
  const connected = useStarted(async () => {
    const client = connectRedis({ url: redis.url });
    await client.whenReady(AbortSignal.timeout(10_000));
    return { client, [Symbol.asyncDispose]: () => client.close() };
  });
  return {
    redis,
    get client() {
      return connected.value.client;
    },
    get deps() {
      return depsOf(connected.value.client);
    },
    queue: (name) => redis.freshQueue(name === undefined ? {} : { name }),
  };
}

/** What services are made of, over a client. */
export function depsOf(client: RedisClient, limits: Partial<Limits> = {}): EngineDeps {
  const store = new Store(client);
  return {
    store,
    adds: new Adds(store),
    slots: new AddSlots(),
    names: new QueueNames('bull', client.cluster, 'auto'),
    limits: { ...DEFAULT_LIMITS, ...limits },
    clock: systemClock,
    logger: silentLogger,
    serverVersion: '0.0.0-test',
    maxMetricsDataPoints: 0,
  };
}

/** A caller that waits for ever. */
export const patient: CallContext = { signal: new AbortController().signal };
setMaxListeners(0, patient.signal);

/** A message with all that is in it frozen, as embedded callers may send it. Bytes cannot be frozen. */
export function frozen<Message>(message: Message): Message {
  if (typeof message !== 'object' || message === null || ArrayBuffer.isView(message)) {
    return message;
  }
  for (const part of Object.values(message)) frozen(part);
  return Object.freeze(message);
}

/** What a refused call says; fails when it is accepted, or fails with anything but an error of ours. */
export async function refused(call: Promise<unknown>): Promise<{
  readonly code: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
}> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof EchoMQError)) throw error;
    return { code: error.code, reason: error.reason, metadata: error.metadata };
  }
  throw new Error('the call was accepted');
}

/** The same for checks, which throw at once. */
export function refusedNow(check: () => unknown): {
  readonly reason: string;
  readonly field: string;
} {
  try {
    check();
  } catch (error) {
    if (!(error instanceof EchoMQError)) throw error;
    return { reason: error.reason, field: error.metadata.field ?? '' };
  }
  throw new Error('the check was passed');
}
