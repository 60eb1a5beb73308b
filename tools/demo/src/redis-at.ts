import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';

/** The oldest server that the scripts are written for. */
const OLDEST = '6.2.0';
const ANSWER_LIMIT_MS = 5_000;

/** A server that answers. */
export interface Reached {
  /** The demo's own connection, for reading past the gateway. */
  readonly redis: Redis;
  /** What it says of itself, for example `7.0.15`. */
  readonly version: string;
}

/**
 * Connects to a server and asks it for its version.
 *
 * @throws Error that says what is wrong with the address or the server; it repeats no password
 */
export async function reach(url: string, env: NodeJS.ProcessEnv): Promise<Reached> {
  const shown = maskPassword(url);
  if (!/^(rediss?|unix):\/\//.test(url)) {
    throw new Error(
      `ECHOMQ_REDIS_URL is ${shown}: the demo reads one server directly and takes ` +
        'redis://, rediss:// and unix:// (the gateway itself takes more).',
    );
  }
  const options = { ...login(env), ...CONNECTION };
  const redis = url.startsWith('unix:')
    ? new Redis({ ...socketOf(url), ...options })
    : new Redis(url, options);
  let refused: Error | undefined;
  redis.on('error', (error: Error) => {
    refused = error;
  });
  try {
    await redis.connect();
    const version = /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
    if (version.localeCompare(OLDEST, 'en', { numeric: true }) < 0) {
      throw new Error(`the server is ${version}; EchoMQ needs ${OLDEST} or newer`);
    }
    return { redis, version };
  } catch (error) {
    redis.disconnect();
    throw new Error(`The server at ${shown} cannot be used: ${said(refused ?? error)}`);
  }
}

/** One attempt: a server that does not answer is told of at once, not waited for. */
const CONNECTION = {
  lazyConnect: true,
  connectTimeout: ANSWER_LIMIT_MS,
  commandTimeout: ANSWER_LIMIT_MS * 4,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  connectionName: 'echomq-demo',
} satisfies RedisOptions;

/** `unix://[user:password@]/path[?db=n]`, which ioredis does not read. */
function socketOf(url: string) {
  const [, user, password, path = '', db] =
    /^unix:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?]*)(?:\?db=(\d+))?$/.exec(url) ?? [];
  return {
    path: decodeURIComponent(path),
    ...given('username', user ? decodeURIComponent(user) : undefined),
    ...given('password', password ? decodeURIComponent(password) : undefined),
    ...given('db', db ? Number(db) : undefined),
  };
}

/** The gateway's settings of the same names, so that both get in with the same. */
function login(env: NodeJS.ProcessEnv) {
  const file = (path: string | undefined) => (path ? readFileSync(path, 'utf8') : undefined);
  const tls = {
    ...given('ca', file(env.ECHOMQ_REDIS_TLS_CA)),
    ...given('cert', file(env.ECHOMQ_REDIS_TLS_CERT)),
    ...given('key', file(env.ECHOMQ_REDIS_TLS_KEY)),
  };
  return {
    ...given('username', env.ECHOMQ_REDIS_USERNAME || undefined),
    ...given('password', file(env.ECHOMQ_REDIS_PASSWORD_FILE)?.replace(/\r?\n$/, '')),
    ...(Object.keys(tls).length > 0 ? { tls } : {}),
  };
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

/** The URL with stars for its password. */
export function maskPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*:)[^/]*@/, '$1***@');
}

function said(error: unknown): string {
  // A name with several addresses fails with one error for each of them and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(said).join(', ');
  return (error as Error).message || String((error as NodeJS.ErrnoException).code ?? error);
}
