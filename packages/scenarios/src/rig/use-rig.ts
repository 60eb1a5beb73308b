import {
  type Connection,
  type ConnectOptions,
  connect,
  type Handler,
  Queue,
  Worker,
  type WorkerOptions,
} from '@echomq/sdk';
import {
  type FreshQueue,
  type PrivateRedisOptions,
  type TcpProxy,
  tcpProxy,
  type UsedRedis,
  useRedis,
  useStarted,
} from '@echomq/testkit';
import { onTestFinished, vi } from 'vitest';
import { gatewayHere, gatewayProcess, type RigGateway } from './gateways.js';
import { RawClient } from './raw-client.js';
import { scaled } from './scaled.js';

/** Life of the rig's locks and span between its sweeps, ms: the documents' 30 s and 30 s, scaled. */
export const LOCK_MS = 1_000;
export const SWEEP_MS = 200;

/** What a test waits for at most where the time is not its subject, ms: machines are busy. */
export const PATIENCE_MS = 30_000;

/** What a rig is made of. */
export interface RigOptions {
  /** Gateways at the start; 1 unless given. */
  readonly gateways?: number;
  /** Whether they are processes of their own; else they live in this one. */
  readonly processes?: boolean;
  /** Between two sweeps of a gateway, ms; {@link SWEEP_MS} unless given. `never` leaves them to the test. */
  readonly sweepMs?: number | 'never';
  /** Flags of each gateway besides lock and sweep. */
  readonly flags?: readonly string[];
  readonly redis?: PrivateRedisOptions;
  /** Where another store is, asked for when the file's tests begin; then {@link Rig.redis} is none. */
  readonly storeUrl?: () => string;
  /** Whether the gateways reach the store through a proxy, {@link Rig.store}. */
  readonly proxied?: boolean;
}

/** A store, gateways and what speaks to them. What a test makes with it ends with the test. */
export interface Rig {
  readonly redis: UsedRedis;
  /** The proxy between gateways and store. @throws Error in a rig that is not proxied */
  readonly store: TcpProxy;
  readonly gateways: readonly RigGateway[];
  /** Starts one more gateway, ended with the test. */
  another(options?: { processes?: boolean; flags?: readonly string[] }): Promise<RigGateway>;
  /** A queue that no other test knows. */
  freshQueue(): FreshQueue;
  /** A client without any help, of the first gateway unless an address is given. */
  raw(address?: string): RawClient;
  /** A connection of the SDK. */
  connection(options?: Partial<ConnectOptions>): Connection;
  /** A queue of the SDK. */
  queue<Data = unknown, Result = unknown>(
    name: string,
    connection?: Connection,
  ): Queue<Data, Result>;
  /** A worker of the SDK on a connection of its own, with locks of 30 s; what it tells as `error` fails nothing. */
  worker<Data = unknown, Result = unknown>(
    queue: string,
    handler: Handler<Data, Result>,
    options?: Partial<WorkerOptions>,
  ): Worker<Data, Result>;
}

/** Gives a test file a rig: started before its first test, ended after its last. */
export function useRig(options: RigOptions = {}): Rig {
  vi.setConfig({
    testTimeout: scaled(3, 40) * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
  });
  const own = options.storeUrl ? undefined : useRedis(options.redis);
  const started = useStarted(() => start(own, options));
  const made = (one: RigGateway) => {
    onTestFinished(() => one.stop());
    return one;
  };
  const rig: Rig = {
    get redis() {
      if (own === undefined) throw new Error('the store is not the rig’s');
      return own;
    },
    get store() {
      const { proxy } = started.value;
      if (proxy === undefined) throw new Error('the rig is not proxied');
      return proxy;
    },
    get gateways() {
      return started.value.gateways;
    },
    another: async ({ processes = options.processes ?? false, flags = [] } = {}) => {
      const all = [...started.value.flags, ...flags];
      return made(await (processes ? gatewayProcess(all) : gatewayHere(all)));
    },
    freshQueue: () => rig.redis.freshQueue(),
    raw(address = addressOf(started.value.gateways)) {
      const raw = new RawClient(address);
      onTestFinished(() => raw.close());
      return raw;
    },
    connection(more = {}) {
      const connection = connect({ address: addressOf(started.value.gateways), ...more });
      onTestFinished(() => connection.close());
      return connection;
    },
    queue: (name, connection) => new Queue(name, { connection: connection ?? rig.connection() }),
    worker(queue, handler, more = {}) {
      const worker = new Worker(queue, handler, {
        connection: more.connection ?? rig.connection(),
        lockDuration: 30_000,
        ...more,
      });
      worker.on('error', () => {});
      onTestFinished(() => worker.close({ timeoutMs: 0 }));
      return worker;
    },
  };
  return rig;
}

function addressOf([first]: readonly RigGateway[]): string {
  if (first === undefined) throw new Error('the rig has no gateway');
  return first.address;
}

async function start(redis: UsedRedis | undefined, options: RigOptions) {
  const { gateways: count = 1, processes = false, proxied = false } = options;
  const { sweepMs = SWEEP_MS, flags: more = [] } = options;
  const proxy = redis && proxied ? await proxyOf(redis) : undefined;
  const straight = options.storeUrl?.() ?? redis?.url ?? '';
  const url = proxy ? `redis://127.0.0.1:${proxy.port}` : straight;
  const flags = [
    `--redis-url=${url}`,
    `--default-lock-ms=${LOCK_MS}`,
    `--stalled-interval-ms=${sweepMs === 'never' ? 2_000_000_000 : sweepMs}`,
    '--drain-timeout-ms=500',
    ...more,
  ];
  const gateways = await Promise.all(
    Array.from({ length: count }, () => (processes ? gatewayProcess(flags) : gatewayHere(flags))),
  );
  return {
    proxy,
    gateways,
    flags,
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await proxy?.stop();
    },
  };
}

function proxyOf({ server: { socketPath, port = 0 } }: UsedRedis): Promise<TcpProxy> {
  return tcpProxy(socketPath === undefined ? port : { path: socketPath });
}
