import { once } from 'node:events';
import { privateRedis } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { trackingTable, WAYS } from '../src/tracking.js';

it.each(Object.entries(WAYS))('%s wakes whoever waits, once for each marker', async (_, wait) => {
  await using redis = await privateRedis();
  const client = redis.connect();
  const [first, second] = ['bull:one:marker', 'bull:two:marker'];
  let popped = 0;
  const heard = new EventTarget();
  const end = await wait(redis.port ?? 0, [first, second], () => {
    popped += 1;
    heard.dispatchEvent(new Event('popped'));
  });
  for (const key of [first, second, first]) {
    const next = once(heard, 'popped');
    await client.zadd(key, 0, '0');
    await next;
  }
  end();
  expect(popped).toBe(3);
  expect(await client.keys('*')).toEqual([]);
});

it('both ways are measured in each size, and what a write costs', async () => {
  const lines: string[] = [];
  await trackingTable(
    {
      sizes: [
        [1, 1],
        [2, 3],
      ],
      prefixes: [0, 10],
      wakes: 5,
      idleMs: 20,
      writes: 500,
    },
    (line) => lines.push(line),
  );
  const [head, ...rows] = lines;
  expect(head?.split('|').length).toBe(10);
  const named = rows.slice(0, 4).map((row) => row.split('|').map((cell) => cell.trim()));
  // Who waits holds one connection by BZPOPMIN and two by CLIENT TRACKING.
  expect(named.map(([, size, way, ...cells]) => [size, way, cells.length, cells[5]])).toEqual([
    ['1, 1', 'BZPOPMIN', 7, '1.00'],
    ['1, 1', 'TRACKING', 7, '2.00'],
    ['2, 3', 'BZPOPMIN', 7, '2.00'],
    ['2, 3', 'TRACKING', 7, '4.00'],
  ]);
  expect(rows.slice(4)).toEqual([
    expect.stringMatching(/^0 prefixes: \d+\.\d\d µs a HSET$/),
    expect.stringMatching(/^10 prefixes: \d+\.\d\d µs a HSET$/),
  ]);
});
