import { readFileSync } from 'node:fs';
import { Cluster, Redis } from 'ioredis';
import type { RedisClient } from '../redis-client.js';
import { IoredisClient } from './ioredis-client.js';
import { parseRedisUrl } from './redis-url.js';

/** How to reach Redis or Valkey. */
export interface ConnectOptions {
  /**
   * `redis://[user:password@]host[:port][/db]`, `rediss://…` (TLS), `unix:///path/to/socket[?db=n]`,
   * `redis+sentinel://host:port,host:port/NAME[/db]` or `redis+cluster://host:port,host:port` (both with `rediss+`).
   */
  readonly url: string;
  /** ACL user; goes before the URL's. */
  readonly username?: string;
  /** Goes before the URL's. */
  readonly password?: string;
  /** Read the password from this file; a last line break is dropped. Read when the client or a duplicate is made. */
  readonly passwordFile?: string;
  /** For `rediss`: certificate authority, client certificate and key, as PEM text or as paths to PEM files. */
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly serverName?: string;
    /** Accept any certificate. For tests. */
    readonly insecure?: boolean;
  };
  /** ACL user and password of the sentinels themselves. */
  readonly sentinel?: { readonly username?: string; readonly password?: string };
  /** CLIENT SETNAME. */
  readonly connectionName?: string;
  /** A command without an answer for so long fails with an unknown outcome. 10,000 ms by default. */
  readonly commandTimeoutMs?: number;
  /** Time for a connection attempt. 5,000 ms by default. */
  readonly connectTimeoutMs?: number;
}

/**
 * What keeps a command from running twice: no queue while the link is down (it fails at once, unsent) and no
 * repetition of what was in flight when it broke (its outcome is unknown, and the caller decides). With
 * `maxRetriesPerRequest` 0 that fails when the link breaks; with `null` it would be forgotten until its time is up.
 */
const SAFE = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // The client would not hear of its failure: whoever listens subscribes again when the link is ready.
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  enableReadyCheck: true,
  lazyConnect: true,
} as const;

/** Attempts of the first second of an outage, and their longest pause, ms. */
const QUICK_TIMES = 12;
const QUICK_MS = 100;

/**
 * The pause before attempt `times`, from 1, ms. An outage of less than a second must cost little more than itself: locks
 * may be 2 s short. One that lasts is asked for less and less often, every second at last: whoever watches the
 * gateway's health expects it back within 2 s of the store.
 */
export function retryStrategy(times: number): number {
  if (times <= QUICK_TIMES) return Math.min(25 * 2 ** (times - 1), QUICK_MS);
  return Math.min(QUICK_MS * 2 ** Math.min(times - QUICK_TIMES, 5), 1_000);
}

/** For so long after a link was given up its further replies do not give it up again, ms. */
const LEAVING_MS = 250;

/** When each connection, known by its options, was given up. */
const leftAt = new WeakMap<object, number>();

/**
 * A demoted primary keeps its clients connected: leave it, so that the next connection finds the new one. Once: many
 * commands under way are refused at the same time, and ioredis sets up a timer and a listener for each time it is told.
 */
function reconnectOnError(this: object, error: Error): boolean {
  if (!error.message.includes('READONLY')) return false;
  const now = performance.now();
  if (now - (leftAt.get(this) ?? Number.NEGATIVE_INFINITY) < LEAVING_MS) return false;
  leftAt.set(this, now);
  return true;
}

/** Connects in the background; see {@link RedisClient.whenReady}. Wrong options throw at once. */
export function connectRedis(options: ConnectOptions): RedisClient {
  const target = parseRedisUrl(options.url);
  const base = () => ({
    ...SAFE,
    retryStrategy,
    reconnectOnError,
    connectTimeout: options.connectTimeoutMs ?? 5_000,
    commandTimeout: options.commandTimeoutMs ?? 10_000,
    keepAlive: 10_000,
    ...given('username', options.username ?? target.username),
    ...given('password', passwordOf(options) ?? target.password),
    ...given('db', target.db),
    ...given('connectionName', options.connectionName),
    ...given('tls', target.tls ? tlsOf(options) : undefined),
  });
  const make = (): Redis | Cluster => {
    if (target.kind === 'cluster') {
      // A node of a cluster has one database, and the cluster says when to connect to it.
      const {
        db: _db,
        lazyConnect: _lazy,
        enableOfflineQueue: _queue,
        retryStrategy: _retry,
        ...node
      } = base();
      return new Cluster(target.nodes, { ...clusterSafe(), redisOptions: node });
    }
    if (target.kind === 'sentinel') {
      return new Redis({
        ...base(),
        sentinels: target.nodes,
        name: target.name,
        sentinelRetryStrategy: retryStrategy,
        ...given('sentinelUsername', options.sentinel?.username),
        ...given('sentinelPassword', options.sentinel?.password),
        ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: tlsOf(options) } : {}),
      });
    }
    if (target.kind === 'socket') return new Redis({ ...base(), path: target.path });
    return new Redis({ ...base(), ...target.nodes[0] });
  };
  return new IoredisClient(make(), make);
}

/**
 * Takes the address and credentials of an ioredis client of yours. Connections of our own are made from them, with the
 * settings that keep a command from running twice; yours stays as it is. A `keyPrefix` is refused: keys inside scripts
 * would not have it.
 */
export function fromIoredis(client: Redis | Cluster): RedisClient {
  if (client.options.keyPrefix)
    throw new TypeError('redis: a client with keyPrefix cannot be used; set the prefix instead');
  const safe = { ...SAFE, retryStrategy, reconnectOnError, commandTimeout: 10_000 };
  const make = (): Redis | Cluster =>
    client.isCluster
      ? (client as Cluster).duplicate([], {
          ...clusterSafe(),
          redisOptions: { ...loginOf(client as Cluster), ...safe },
        })
      : (client as Redis).duplicate(safe);
  return new IoredisClient(make(), make);
}

/** Of the user's client only what leads to the server and opens it. */
function loginOf(client: Cluster) {
  const { username, password, tls } = client.options.redisOptions ?? {};
  return { ...given('username', username), ...given('password', password), ...given('tls', tls) };
}

function clusterSafe() {
  return {
    enableOfflineQueue: false as const,
    lazyConnect: true as const,
    clusterRetryStrategy: retryStrategy,
    // Otherwise a cluster sends again what was under way when a link broke.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 200,
    slotsRefreshTimeout: 2_000,
  };
}

function passwordOf(options: ConnectOptions): string | undefined {
  if (options.password !== undefined) return options.password;
  if (options.passwordFile === undefined) return undefined;
  return readFileSync(options.passwordFile, 'utf8').replace(/\r?\n$/, '');
}

function tlsOf({ tls = {} }: ConnectOptions) {
  return {
    ...given('ca', pem(tls.ca)),
    ...given('cert', pem(tls.cert)),
    ...given('key', pem(tls.key)),
    ...given('servername', tls.serverName),
    ...(tls.insecure ? { rejectUnauthorized: false } : {}),
  };
}

/** PEM text as it is, anything else as the path of a file. */
function pem(value: string | undefined): string | undefined {
  return value === undefined || value.includes('-----BEGIN') ? value : readFileSync(value, 'utf8');
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
