import { useRedis } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { besideTheDeaf } from './deaf.js';
import { growth, type Memory, measuredGateway, openAndCancel } from './measured.js';

const redis = useRedis();
const MIB = 1_048_576;
const LONG = process.env.ECHOMQ_SOAK === 'long';
/** 50,000 streams in all at full length. */
const HALF = LONG ? 25_000 : 5_000;
const show = ({ heapUsed, external, rss }: Memory) =>
  `heap ${(heapUsed / MIB).toFixed(1)} MiB, buffers ${(external / MIB).toFixed(1)} MiB, rss ${(rss / MIB).toFixed(0)} MiB`;

it('T112 stream objects leak: the memory of a gateway is flat over streams that are opened and cancelled', async () => {
  const gateway = await measuredGateway(redis);
  const queue = redis.freshQueue().name;
  console.log(`at the start: ${show(await gateway.measure())}`);
  await openAndCancel(gateway, queue, HALF);
  const first = await gateway.measure();
  console.log(`after ${HALF} streams: ${show(first)}`);
  await openAndCancel(gateway, queue, HALF);
  const second = await gateway.measure();
  console.log(`after ${2 * HALF} streams: ${show(second)}`);
  expect(Math.abs(growth(first, second))).toBeLessThan(0.1);
});

it('T111 server buffers without bound: the memory of a gateway is bounded beside a subscriber that never reads', async () => {
  const events = LONG ? 400 : 100;
  const { before, after } = await besideTheDeaf(redis, events);
  console.log(`before: ${show(before)}\nafter ${events / 2} MiB of events: ${show(after)}`);
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(
    32 * MIB,
  );
});
