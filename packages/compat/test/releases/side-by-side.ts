import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, type NodeProcess, spawnNode, type UsedRedis } from '@echomq/testkit';
import { expect } from 'vitest';

const PEER = fileURLToPath(new URL('./peer.mjs', import.meta.url));
const LISTENING = /listening on (\S+)/;

/** A tree that is built. */
export interface House {
  readonly name: string;
  readonly root: string;
}

/** Two houses at one queue. */
export interface SideBySide {
  readonly redis: UsedRedis;
  readonly houses: readonly [House, House];
  readonly jobs: number;
  /** How long all of it may take, ms. */
  readonly limitMs: number;
}

/** A worker or a producer, and what it has told of. */
interface Peer {
  readonly name: string;
  readonly process: NodeProcess;
}

const told = ({ process }: Peer, what: string): string[] =>
  process.lines.items.flatMap((line) =>
    line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : [],
  );

/**
 * A gateway of each house at one queue, and at each of them a worker and a producer by the SDK of each house: every job
 * is added once, runs once and is completed once, everybody takes part, and nobody is told of an error.
 *
 * @throws where the books or the store do not agree with that
 */
export async function sideBySide({ redis, houses, jobs, limitMs }: SideBySide): Promise<void> {
  const stored = redis.freshQueue();
  await stored.seed({ meta: { 'opts.maxLenEvents': '1000000' } });
  const gateways = await Promise.all(houses.map((house) => startGateway(house, redis.url)));
  const pairs = houses.flatMap((sdk) =>
    gateways.map(({ house, address }) => ({ sdk, address, name: `${sdk.name}-at-${house.name}` })),
  );
  const start = (count: readonly string[]) =>
    Promise.all(
      pairs.map(async ({ sdk, address, name }): Promise<Peer> => {
        const args = [sdk.root, address, stored.name, name, ...count];
        const process = await spawnNode(PEER, { args, ready: /^ready$/, readyLimitMs: 60_000 });
        return { name, process };
      }),
    );
  const workers = await start([]);
  const producers = await start([`${jobs / pairs.length}`]);
  for (const { process } of producers) {
    expect(await process.exit.wait(limitMs)).toEqual({ code: 0, signal: null });
  }
  const done = () => workers.flatMap((worker) => told(worker, 'done'));
  await eventually(() => expect(done().length).toBeGreaterThanOrEqual(jobs), limitMs);
  for (const { process } of workers) process.kill('SIGTERM');
  for (const { process } of workers) {
    expect(await process.exit.wait(30_000)).toEqual({ code: 0, signal: null });
  }
  for (const { process } of gateways) process.kill('SIGTERM');
  for (const { process } of gateways) expect((await process.exit.wait(60_000)).code).toBe(0);

  const added = producers.flatMap((producer) => told(producer, 'added')).sort();
  expect(new Set(added).size).toBe(jobs);
  const begun = workers.flatMap((worker) => told(worker, 'start')).sort();
  expect(begun).toEqual(added);
  expect(done().sort()).toEqual(added);
  expect([...workers, ...producers].flatMap((peer) => told(peer, 'error'))).toEqual([]);
  for (const worker of workers) {
    expect([worker.name, told(worker, 'done').length > 0]).toEqual([worker.name, true]);
  }
  const dump = await stored.read();
  expect((dump.completed as [string, number][]).map(([id]) => id).sort()).toEqual(added);
  for (const list of ['wait', 'active', 'failed', 'delayed', 'prioritized', 'stalled']) {
    expect(dump).not.toHaveProperty(list);
  }
  for (const worker of workers) {
    for (const id of told(worker, 'done')) {
      const { returnvalue, atm, stc } = dump[id] as Record<string, string>;
      const once = [`"${worker.name}:${id}"`, '1', undefined];
      expect([returnvalue, atm, stc]).toEqual(once);
    }
  }
  const ends = (dump.events as Record<string, string>[]).filter(
    ({ event }) => event === 'completed',
  );
  expect(ends.map(({ jobId }) => jobId).sort()).toEqual(added);
}

async function startGateway(house: House, redisUrl: string) {
  const process = await spawnNode(join(house.root, 'apps/gateway/build/main.js'), {
    ready: LISTENING,
    readyLimitMs: 60_000,
    env: { ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redisUrl },
  });
  return { house, process, address: LISTENING.exec(process.readyLine)?.[1] ?? '' };
}
