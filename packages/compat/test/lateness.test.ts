import { connect } from '@echomq/sdk';
import { embedded } from '@echomq/sdk/embedded';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { measureLateness } from '../src/run/lateness.js';
import { startedGateway } from './gateway-process.js';
import { dueTimes, echoTaker } from './late-takers.js';

const redis = useRedis();
const SIZE = { jobs: 25, apartMs: 40 };
/** 10 ms is stated for an idle machine (the soak asserts it); nobody says that this one is. */
const LIMIT_MS = 1_000;

it.each(['embedded', 'over a gateway'])('delayed jobs begin at their time, %s', async (way) => {
  const queue = redis.freshQueue();
  const connection =
    way === 'embedded'
      ? embedded({ redis: redis.url })
      : connect({ address: await startedGateway(redis.url) });
  const taker = echoTaker(connection, queue.name);
  onTestFinished(() => taker.close());
  const dueAt = dueTimes(redis, queue.base);
  const late = await measureLateness(taker, dueAt, SIZE);
  expect(late.jobs).toBe(SIZE.jobs);
  expect(late.max).toBeLessThan(LIMIT_MS);
  // None begins before its time, by the store's clock, which alone counts. A script looks 1 ms ahead.
  const dump = await queue.read();
  for (let at = 1; at <= late.jobs; at += 1) {
    const { processedOn } = dump[at] as { readonly processedOn: string };
    expect(Number(processedOn)).toBeGreaterThanOrEqual((await dueAt(`${at}`)) - 1);
  }
});
