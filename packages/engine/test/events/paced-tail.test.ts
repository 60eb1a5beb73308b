import { Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { collect, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { EventTail } from '../../src/events/event-tail.js';
import { silentLogger } from '../../src/ports.js';

const used = useRedis();
const APPENDED = 300;

it('with a pace it tells a few times of many events, and always after the last', async () => {
  const redis = connectRedis({ url: used.url });
  onTestFinished(() => redis.close());
  await redis.whenReady(AbortSignal.timeout(10_000));
  const store = new Store(redis);
  const tail = new EventTail({ redis, store, logger: silentLogger, paceMs: 100 });
  onTestFinished(() => tail.close());
  const key = used.freshQueue().key('events');
  const told = collect<number>('calls of the listener');
  const following = await tail.follow(key, (entries) => told.push(entries.length));
  const pipeline = used.client.pipeline();
  for (let i = 0; i < APPENDED; i++) pipeline.xadd(key, '*', 'event', 'drained');
  await pipeline.exec();
  // The first by its entry, all others together by a look.
  await told.waitFor(2, 10_000);
  const before = told.items.length;
  expect(before).toBeLessThan(APPENDED / 10);
  expect(Math.max(...told.items)).toBe(1);
  await used.client.xadd(key, '*', 'event', 'drained');
  await told.waitFor(before + 1, 10_000);
  following.stop();
});
