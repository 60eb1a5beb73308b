import { Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { useRedis, useStarted } from '@echomq/testkit';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { CASES } from '../src/cases/index.js';
import { compare } from '../src/oracle/compare.js';
import { NOW } from '../src/oracle/oracle-case.js';
import { PEERS } from '../src/oracle/peers.js';
import { judge } from '../src/oracle/verdict.js';
import './task-meta.js';

const redis = useRedis();
const connected = useStarted(async () => {
  const client = connectRedis({ url: redis.url });
  await client.whenReady(AbortSignal.timeout(10_000));
  return { store: new Store(client), [Symbol.asyncDispose]: () => client.close() };
});

let shared: Redis | undefined;
/** BullMQ's workers ask for a client that repeats a command for ever. */
function client(): Redis {
  shared ??= redis.connect({ maxRetriesPerRequest: null });
  return shared;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(CASES)('$transition', ({ transition, cases }) => {
  describe.each(cases)('$name', (testCase) => {
    it.for(testCase.peers ?? PEERS)('as bullmq %s', async (peer, { task }) => {
      task.meta.oracle = { transition, peer, listed: [], unlisted: 1 };
      const ground = { redis: client(), store: connected.value.store };
      const lines = await compare(ground, testCase, peer);
      const { unlisted, missing, listed } = judge({ transition, name: testCase.name, peer }, lines);
      const wrong = unlisted.length + missing.length;
      task.meta.oracle = { transition, peer, listed, unlisted: wrong };
      if (wrong > 0) {
        throw new Error(
          [
            `${transition} ${testCase.name} | ${peer}: a difference that is not on the list, or a listed one that is gone`,
            ...unlisted.map((line) => `not listed: ${line}`),
            ...missing.map((line) => `gone: ${line}`),
          ].join('\n'),
        );
      }
    });
  });
});
