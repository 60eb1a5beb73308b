import { parseRedisUrl } from '@echomq/core/ioredis';
import type { EngineLogger } from '@echomq/engine';
import { WatchedFiles } from '../files/watched-files.js';
import type { AccessConfig, GatewayConfig } from '../gateway-config.js';
import { Authenticator } from './authenticator.js';
import { type Directory, type Namespaces, readDirectory } from './directory.js';
import type { KeySource } from './jwt.js';
import { readKeySet } from './key-set.js';
import { DEFAULT_NAMESPACE } from './principal.js';
import { Quota } from './quota.js';
import { RefusalLog } from './refusal-log.js';
import { RemoteKeys } from './remote-keys.js';
import { StreamWatch } from './stream-watch.js';

/** All that decides who may call, and how much at once. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly refusals: RefusalLog;
  /** Streams that are open. */
  readonly streams: Quota;
  /** Calls that may wait. */
  readonly waiters: Quota;
  readonly watch: StreamWatch;
  /** Looks at files no more. */
  close(): void;
}

/**
 * Reads the files of the configuration and watches them.
 *
 * @throws FileError when one cannot be read, or is wrong
 */
export function openAccess(config: GatewayConfig, logger: EngineLogger): Access {
  const { access, limits, quotas, tls } = config;
  const namespaces = namespacesOf(config);
  const watched: { close(): void }[] = [];
  try {
    const directory =
      access.file === undefined
        ? undefined
        : watchDirectory(access.file, namespaces, config, logger);
    if (directory) watched.push(directory);
    const keys = access.jwt && keySource(access.jwt, config, logger);
    if (keys?.files) watched.push(keys.files);
    const authenticator = new Authenticator({
      open: !access.required,
      directory: () => directory?.current,
      ...(access.jwt && keys ? { jwt: { ...access.jwt, keys: keys.source } } : {}),
      certificates: tls?.clientCa !== undefined,
      namespaces,
    });
    return {
      authenticator,
      refusals: new RefusalLog(logger),
      streams: new Quota('streams', {
        all: limits.maxStreams,
        each: quotas.maxStreamsPerPrincipal,
      }),
      waiters: new Quota('waiters', {
        all: limits.maxWaiters,
        each: quotas.maxWaitersPerPrincipal,
      }),
      watch: new StreamWatch({ everyMs: access.recheckMs, graceMs: access.graceMs }),
      close: () => {
        for (const each of watched) each.close();
      },
    };
  } catch (error) {
    for (const each of watched) each.close();
    throw error;
  }
}

function namespacesOf({ namespaces, prefix, redis }: GatewayConfig): Namespaces {
  const cluster = parseRedisUrl(redis.url).kind === 'cluster';
  const prefixOf = (namespace: string) =>
    namespace === DEFAULT_NAMESPACE ? prefix : (namespaces.get(namespace) ?? prefix);
  return {
    has: (namespace) => namespace === DEFAULT_NAMESPACE || namespaces.has(namespace),
    bracesMatter: (namespace) => !cluster || prefixOf(namespace).includes('{'),
  };
}

function watchDirectory(
  path: string,
  namespaces: Namespaces,
  { reloadMs }: GatewayConfig,
  logger: EngineLogger,
): WatchedFiles<Directory> {
  return new WatchedFiles({
    paths: [path],
    load: ([bytes]) => readDirectory(String(bytes), path, namespaces),
    intervalMs: reloadMs,
    onChange: () => logger.info('access.reloaded', { path }),
    onBad: ({ message }) => logger.warn('access.bad', { path, problem: message }),
  });
}

function keySource(
  { jwks }: NonNullable<AccessConfig['jwt']>,
  { reloadMs }: GatewayConfig,
  logger: EngineLogger,
): { source: KeySource; files?: { close(): void } } {
  if (/^https?:/.test(jwks)) {
    const warn = (problem: string) => logger.warn('keys.unavailable', { jwks, problem });
    const source = new RemoteKeys(jwks, warn);
    // Whether or not the issuer is there: the gateway starts.
    void source.ask();
    return { source };
  }
  const files = new WatchedFiles({
    paths: [jwks],
    load: ([bytes]) => readKeySet(String(bytes)),
    intervalMs: reloadMs,
    onChange: () => logger.info('keys.reloaded', { path: jwks }),
    onBad: ({ message }) => logger.warn('keys.bad', { path: jwks, problem: message }),
  });
  const ask = async () => {
    const before = files.current;
    await files.look();
    return files.current !== before;
  };
  return { source: { current: async () => files.current, ask }, files };
}
