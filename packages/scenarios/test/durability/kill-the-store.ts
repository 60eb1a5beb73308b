import { addStandardJob, moveToActive, moveToFinished, QueueKeys, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { type PrivateRedisOptions, privateRedis } from '@echomq/testkit';
import type { Redis } from 'ioredis';

/** How a store keeps what it was told. */
export type Setting = 'always' | 'everysec' | 'no' | 'snapshots' | 'none';

const OPTIONS: Readonly<Record<Setting, PrivateRedisOptions>> = {
  always: { persistence: 'aof', args: ['--appendfsync', 'always'] },
  everysec: { persistence: 'aof', args: ['--appendfsync', 'everysec'] },
  no: { persistence: 'aof', args: ['--appendfsync', 'no'] },
  snapshots: { persistence: 'none', args: ['--save', '1 100', '--rdbcompression', 'no'] },
  none: { persistence: 'none' },
};

/** What was acknowledged and what was found. */
export interface Losses {
  acknowledged: number;
  found: number;
  /** Ends of runs that were acknowledged, and those that stood. */
  ended: number;
  endsFound: number;
  /** Jobs that stood although nobody was told so. */
  unacknowledged: number;
  /** The oldest acknowledgement that was lost, before the kill, ms; 0: none was. */
  lostMs: number;
}

/** Adders and workers at once. */
const ADDERS = 20;
const WORKERS = 4;

/**
 * Adds, takes and ends jobs as fast as they go, kills the store's process in the midst (SIGKILL), starts it again in its
 * folder, and looks what stands.
 *
 * @param loadMs how long there is load before the kill
 */
export async function killTheStore(setting: Setting, loadMs: number): Promise<Losses> {
  await using server = await privateRedis({ socket: true, ...OPTIONS[setting] });
  const client = connectRedis({ url: server.url });
  const queue = new QueueKeys('bull', 'durable');
  const added = new Map<string, number>();
  const ended = new Map<string, number>();
  let killedAt = Number.POSITIVE_INFINITY;
  try {
    await client.whenReady(AbortSignal.timeout(10_000));
    const store = new Store(client);
    const until = performance.now() + loadMs;
    const going = () => performance.now() < until + 5_000 && killedAt === Number.POSITIVE_INFINITY;
    const adder = async () => {
      while (going()) {
        const { jobId } = await addStandardJob(store, queue, { name: 'j', data: '{}', opts: '{}' });
        added.set(jobId, performance.now());
      }
    };
    const worker = async (_: unknown, at: number) => {
      for (let turn = 0; going(); turn++) {
        const token = `${at}-${turn}`;
        const taken = await moveToActive(store, queue, { token, lockDuration: 60_000 });
        if (taken.kind !== 'job') continue;
        const { id: jobId } = taken.job;
        const end = {
          target: 'completed',
          value: '1',
          fetchNext: false,
          options: { token },
        } as const;
        await moveToFinished(store, queue, { jobId, ...end });
        ended.set(jobId, performance.now());
      }
    };
    const all = [
      ...Array.from({ length: ADDERS }, adder),
      ...Array.from({ length: WORKERS }, worker),
    ].map((loop) => loop.catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, loadMs));
    killedAt = performance.now();
    await server.crash();
    await Promise.all(all);
  } finally {
    await client.close();
  }
  await server.restart();
  return await count(server.connect(), queue, { added, ended, killedAt });
}

interface Known {
  readonly added: ReadonlyMap<string, number>;
  readonly ended: ReadonlyMap<string, number>;
  readonly killedAt: number;
}

async function count(
  redis: Redis,
  queue: QueueKeys,
  { added, ended, killedAt }: Known,
): Promise<Losses> {
  const ids = (await redis.keys(`${queue.base}*`)).map((key) => key.slice(queue.base.length));
  const stored = new Set(ids.filter((id) => /^\d+$/.test(id)));
  const completed = new Set(await redis.zrange(queue.completed, '0', '-1'));
  const lost = [
    ...[...added].filter(([id]) => !stored.has(id)),
    ...[...ended].filter(([id]) => !completed.has(id)),
  ];
  return {
    acknowledged: added.size,
    found: [...added.keys()].filter((id) => stored.has(id)).length,
    ended: ended.size,
    endsFound: [...ended.keys()].filter((id) => completed.has(id)).length,
    unacknowledged: [...stored].filter((id) => !added.has(id)).length,
    // One by one: an argument each would be too many where nothing is kept.
    lostMs: Math.round(killedAt - lost.reduce((first, [, at]) => Math.min(first, at), killedAt)),
  };
}

/** One setting's losses as a row of the table in docs/operations.md. */
export function row(setting: Setting, kills: readonly Losses[]): string {
  const sum = (of: (one: Losses) => number) =>
    kills.reduce((total, one) => total + of(one), 0).toLocaleString('en');
  const worst = Math.max(...kills.map(({ lostMs }) => lostMs));
  return (
    `| ${setting} | ${kills.length} | ${sum((one) => one.acknowledged)} | ${sum((one) => one.found)} ` +
    `| ${sum((one) => one.ended)} | ${sum((one) => one.endsFound)} | ${worst} ms |`
  );
}
