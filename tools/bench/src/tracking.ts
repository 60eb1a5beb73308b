import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startLocalRedis } from '@echomq/local-redis';
import { Redis } from 'ioredis';
import { percentile } from './report/statistics.js';
import { RedisMeter } from './run/redis-meter.js';

/**
 * How a server can learn that something waits: by BZPOPMIN on the markers of its queues, as EchoMQ does, or by CLIENT
 * TRACKING in broadcast mode with each marker as a prefix. Run it by `node tools/bench/build/tracking.js`; it prints a
 * table for docs/adr/0035-markers-by-bzpopmin.md.
 */

/** Servers and queues. */
const SIZES = [
  [1, 1],
  [1, 100],
  [4, 10],
  [10, 10],
] as const;
const WAKES = 400;
const IDLE_MS = 3_000;
const PREFIXES = [0, 10, 100, 1_000] as const;
const WRITES = 20_000;

/** Wakes up for each marker; told who popped it. */
export type Waiter = (
  port: number,
  keys: readonly string[],
  popped: () => void,
) => Promise<() => void>;

const byBlocking: Waiter = async (port, keys, popped) => {
  const client = new Redis(port, { maxRetriesPerRequest: null, protocol: 2 });
  const loop = async () => {
    for (;;) if (await client.bzpopmin(...keys, 1)) popped();
  };
  loop().catch(() => undefined);
  await client.ping().catch(() => undefined);
  return () => client.disconnect();
};

const byTracking: Waiter = async (port, keys, popped) => {
  const [client, heard] = [new Redis(port, { protocol: 2 }), new Redis(port, { protocol: 2 })];
  const id = await heard.client('ID');
  await heard.subscribe('__redis__:invalidate');
  const prefixes = keys.flatMap((key) => ['PREFIX', key]);
  await client.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', id, 'BCAST', ...prefixes, 'NOLOOP');
  heard.on('message', (_, changed: string) => {
    // The marker must go: adding what is there already changes nothing and is told to nobody.
    for (const key of changed.split(',')) {
      client.zpopmin(key).then(
        (found) => found.length > 0 && popped(),
        () => undefined,
      );
    }
  });
  return () => {
    client.disconnect();
    heard.disconnect();
  };
};

/** Both ways by their names. */
export const WAYS: Readonly<Record<'BZPOPMIN' | 'TRACKING', Waiter>> = {
  BZPOPMIN: byBlocking,
  TRACKING: byTracking,
};

/** Latency and cost of one wake-up, and the commands of those who only wait. */
async function measure(
  waiter: Waiter,
  [servers, queues]: readonly [number, number],
  { wakes, idleMs }: Pick<Extent, 'wakes' | 'idleMs'>,
) {
  await using redis = await startedRedis();
  const keys = Array.from({ length: queues }, (_, at) => `bull:q${at}:marker`);
  let told = () => {};
  const ends = await Promise.all(
    Array.from({ length: servers }, () => waiter(redis.port, keys, () => told())),
  );
  const meter = new RedisMeter(redis.port);
  const before = await meter.read();
  await sleep(idleMs);
  const idle = await meter.read();
  const latencies: number[] = [];
  for (let turn = 0; turn < wakes; turn++) {
    const popped = new Promise<void>((resolve) => {
      told = resolve;
    });
    const start = performance.now();
    await meter.client.zadd(keys[turn % queues] ?? '', 0, '0');
    await popped;
    latencies.push(performance.now() - start);
  }
  // Those who come too late are part of the cost.
  await sleep(100);
  const after = await meter.read();
  for (const end of ends) end();
  meter.close();
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    redisUs: (after.cpuUs - idle.cpuUs) / wakes,
    commands: (after.commands - idle.commands) / wakes,
    idlePerS: ((idle.commands - before.commands) / idleMs) * 1_000,
    connections: before.clients,
  };
}

/** What any other write costs while so many prefixes are tracked. */
async function writeCost(prefixes: number, writes: number): Promise<number> {
  await using redis = await startedRedis();
  const keys = Array.from({ length: prefixes }, (_, at) => `bull:q${at}:marker`);
  const end = prefixes > 0 ? await byTracking(redis.port, keys, () => undefined) : () => undefined;
  const meter = new RedisMeter(redis.port);
  const before = await meter.read();
  for (let sent = 0; sent < writes; sent += 500) {
    const pipeline = meter.client.pipeline();
    for (let at = 0; at < 500; at++) pipeline.hset(`bull:other:${sent + at}`, 'a', 1);
    await pipeline.exec();
  }
  const after = await meter.read();
  end();
  meter.close();
  return (after.cpuUs - before.cpuUs) / writes;
}

async function startedRedis() {
  const server = await startLocalRedis({ persistence: 'none' });
  return { port: server.port ?? 0, [Symbol.asyncDispose]: () => server.stop() };
}

/** How much is measured. */
interface Extent {
  readonly sizes: readonly (readonly [servers: number, queues: number])[];
  readonly prefixes: readonly number[];
  readonly wakes: number;
  readonly idleMs: number;
  readonly writes: number;
}

/** The table of docs/adr/0035-markers-by-bzpopmin.md, and what a write costs, line by line. */
export async function trackingTable(extent: Extent, print: (line: string) => void): Promise<void> {
  print(
    '| servers, queues | way | p50 ms | p99 ms | Redis µs | commands per wake-up | idle commands/s | connections |',
  );
  for (const [servers, queues] of extent.sizes) {
    for (const [name, waiter] of Object.entries(WAYS)) {
      const found = figures(await measure(waiter, [servers, queues], extent));
      print(`| ${servers}, ${queues} | ${name} |${found}`);
    }
  }
  for (const prefixes of extent.prefixes) {
    print(
      `${prefixes} prefixes: ${(await writeCost(prefixes, extent.writes)).toFixed(2)} µs a HSET`,
    );
  }
}

function figures(values: Readonly<Record<string, number>>): string {
  return Object.values(values)
    .map((value) => ` ${value.toFixed(2)} |`)
    .join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = [...SIZES];
  const extent = { sizes, prefixes: PREFIXES, wakes: WAKES, idleMs: IDLE_MS, writes: WRITES };
  await trackingTable(extent, (line) => process.stdout.write(`${line}\n`));
  process.exit();
}
