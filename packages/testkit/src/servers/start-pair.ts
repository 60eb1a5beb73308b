import { type TcpProxy, tcpProxy } from '../faults/tcp-proxy.js';
import { track } from '../leaks/registry.js';
import { eventually } from '../signals/eventually.js';
import { asking } from './asking.js';
import { type PrivateRedis, privateRedis } from './private-redis.js';

/** A primary and its replica behind one address that leads to whichever is the primary. */
export interface PrivatePair extends AsyncDisposable {
  /** The two servers; which is the primary changes. */
  readonly servers: readonly [PrivateRedis, PrivateRedis];
  /** The one that takes writes now. */
  readonly primary: PrivateRedis;
  /** The address that leads to it, `redis://…`. */
  readonly url: string;
  /** The hop behind that address. */
  readonly proxy: TcpProxy;
  /**
   * Makes the replica the primary and the primary its replica, in good order, without closing anybody's connection:
   * those who are connected find themselves at a replica.
   *
   * @param between called while neither takes writes
   */
  failover(between?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** A replica gets its first copy through the socket, at once. */
const DISKLESS = ['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0'];

/** Starts the two on loopback ports and waits until the replica follows. */
export async function startPair(): Promise<PrivatePair> {
  const first = await privateRedis({ args: DISKLESS });
  const second = await privateRedis({ args: DISKLESS }).catch(async (error: unknown) => {
    await first.stop();
    throw error;
  });
  const proxy = await tcpProxy(first.port ?? 0);
  let [primary, replica] = [first, second];
  const untrack = track(`pair at ${proxy.port}`);
  const stop = async (): Promise<void> => {
    await Promise.all([first.stop(), second.stop(), proxy.stop()]);
    untrack();
  };
  await followed(second, first).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    servers: [first, second],
    get primary() {
      return primary;
    },
    url: `redis://127.0.0.1:${proxy.port}`,
    proxy,
    async failover(between) {
      const [old, next] = [primary, replica];
      // The old one is asked first: what it acknowledges afterwards would be lost.
      await at(old, (admin) => admin.replicaof('127.0.0.1', next.port ?? 0));
      await between?.();
      await at(next, (admin) => admin.replicaof('NO', 'ONE'));
      proxy.retarget(next.port ?? 0);
      [primary, replica] = [next, old];
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const at = <T>(server: PrivateRedis, ask: Parameters<typeof asking<T>>[1]): Promise<T> =>
  asking({ port: server.port ?? 0 }, ask);

async function followed(replica: PrivateRedis, primary: PrivateRedis): Promise<void> {
  await at(replica, async (admin) => {
    await admin.replicaof('127.0.0.1', primary.port ?? 0);
    await eventually(async () => {
      const info = await admin.info('replication');
      if (!info.includes('master_link_status:up')) throw new Error(`no replication:\n${info}`);
    }, 15_000);
  });
}
