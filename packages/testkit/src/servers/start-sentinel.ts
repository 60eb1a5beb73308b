import { freePort, type LocalRedis, startLocalRedis } from '@echomq/local-redis';
import { Redis } from 'ioredis';
import { track } from '../leaks/registry.js';
import { eventually } from '../signals/eventually.js';
import { asking } from './asking.js';
import type { ClientOptions } from './clients.js';

/** A primary, its replica, and the sentinel that watches them. */
export interface PrivateSentinel extends AsyncDisposable {
  readonly primary: LocalRedis;
  readonly replica: LocalRedis;
  readonly sentinel: LocalRedis;
  /** The name by which clients ask the sentinel for the primary. */
  readonly name: string;
  /** A new client that finds the primary through the sentinel; closed with the rest. */
  connect(options?: ClientOptions): Redis;
  /** Makes the replica the primary, in good order, and waits until it is. */
  failover(): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'echomq';

/** Starts the three on loopback ports and waits until the sentinel could fail over. */
export async function startSentinel(): Promise<PrivateSentinel> {
  const servers: LocalRedis[] = [];
  const clients: Redis[] = [];
  const stop = async (): Promise<void> => {
    for (const client of clients.splice(0)) client.disconnect();
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    const primary = await startLocalRedis({ persistence: 'none', args: DISKLESS });
    servers.push(primary);
    const replica = await startReplica(primary);
    servers.push(replica);
    const sentinel = await watch(primary);
    servers.push(sentinel);
    await ready(sentinel);
    const untrack = track(`sentinel at ${sentinel.url}`);
    const end = async (): Promise<void> => {
      await stop();
      untrack();
    };
    return {
      primary,
      replica,
      sentinel,
      name: NAME,
      connect(options = {}) {
        const sentinels = [{ host: '127.0.0.1', port: sentinel.port ?? 0 }];
        const retry = { retryStrategy: () => 20, sentinelRetryStrategy: () => 20 };
        const all: ClientOptions = { sentinels, name: NAME, ...retry, ...options };
        const client = new Redis(all);
        client.on('error', () => {});
        clients.push(client);
        return client;
      },
      failover: () => failover(sentinel, replica),
      stop: end,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A replica gets its first copy through the socket, at once. */
const DISKLESS = ['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0'];

async function startReplica(primary: LocalRedis): Promise<LocalRedis> {
  const replica = await startLocalRedis({
    persistence: 'none',
    args: [...DISKLESS, '--replicaof', '127.0.0.1', `${primary.port}`],
  });
  await asking(replica, (admin) =>
    eventually(async () => {
      const info = await admin.info('replication');
      if (!info.includes('master_link_status:up')) throw new Error(`no replication:\n${info}`);
    }, 15_000),
  );
  return replica;
}

async function watch(primary: LocalRedis): Promise<LocalRedis> {
  const port = await freePort();
  return startLocalRedis({
    persistence: 'none',
    port,
    config: [
      `port ${port}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 5000`,
    ].join('\n'),
    args: ['--sentinel'],
  });
}

/** The sentinel has found the replica by asking the primary. */
function ready(sentinel: LocalRedis): Promise<void> {
  return asking(sentinel, (admin) =>
    eventually(async () => {
      const replicas = await admin.call('SENTINEL', 'REPLICAS', NAME);
      const text = JSON.stringify(replicas);
      if (!text.includes('"slave"')) throw new Error(`the sentinel knows no replica: ${text}`);
    }, 15_000),
  );
}

function failover(sentinel: LocalRedis, replica: LocalRedis): Promise<void> {
  return asking(sentinel, async (admin) => {
    // The sentinel takes a replica only when it has had its INFO lately.
    await eventually(() => admin.call('SENTINEL', 'FAILOVER', NAME), 15_000);
    await eventually(async () => {
      const [, port] = (await admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[];
      if (port !== `${replica.port}`) throw new Error(`the primary is still at ${port}`);
    }, 15_000);
  });
}
