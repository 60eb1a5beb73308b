import { useRedis } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { growth, type Memory, measuredGateway, openAndCancel } from './measured.js';

const redis = useRedis();
/** 50,000 streams in all at full length. */
const HALF = process.env.ECHOMQ_SOAK === 'long' ? 25_000 : 5_000;
const show = ({ heapUsed, rss }: Memory) =>
  `heap ${(heapUsed / 1_048_576).toFixed(1)} MiB, rss ${(rss / 1_048_576).toFixed(0)} MiB`;

it('the memory of a gateway is flat over streams that are opened and cancelled', async () => {
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
