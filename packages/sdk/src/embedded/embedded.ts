import type { RedisClient } from '@echomq/core';
import { connectRedis, type ConnectOptions as RedisOptions } from '@echomq/core/ioredis';
import { Engine, type EngineOptions } from '@echomq/engine';
import { Connection, checkTimeout, DEFAULT_TIMEOUT_MS } from '../connection.js';
import { invalid } from '../errors.js';
import { SDK_VERSION } from '../version.js';
import { ServicesTransport } from './services-transport.js';

/** How an engine in this process is made. */
export interface EmbeddedOptions extends Omit<EngineOptions, 'redis' | 'clock' | 'serverVersion'> {
  /**
   * A URL, the options of a connection, or a client of yours (see `@echomq/core`; from an ioredis client by
   * `fromIoredis` of `@echomq/core/ioredis`). A client of yours is not closed.
   */
  readonly redis: string | RedisOptions | RedisClient;
  /** How long a call may take, in ms; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Freezes every message on its way, so that a side that changes one fails. For tests. */
  readonly freezeMessages?: boolean;
}

/** How long the first calls wait for Redis to be connected. */
const START_GRACE_MS = 1_000;

/**
 * A connection to an engine in this process, over the same classes as `connect`: no gateway, no RPC, the same Redis
 * layout. The engine sweeps and promotes like a gateway. Redis may be away: calls fail with `Unavailable` until it is
 * there.
 *
 * @throws Error for a URL or an option that cannot be used
 */
export function embedded(options: EmbeddedOptions): Connection {
  const { redis, timeoutMs = DEFAULT_TIMEOUT_MS, freezeMessages = false, ...rest } = options;
  checkTimeout(timeoutMs);
  const { client, close } = clientOf(redis);
  const engine = engineOver(client, rest, close);
  const transport = new ServicesTransport(engine.services, {
    freeze: freezeMessages,
    // The first call finds Redis connected, if it is there at all.
    ready: client.whenReady(AbortSignal.timeout(START_GRACE_MS)).catch(() => {}),
    close: async () => {
      await engine.close();
      await close();
    },
  });
  engine.start();
  return new Connection(transport, timeoutMs);
}

/** A client that was made for nothing must not keep the process. */
function engineOver(
  redis: RedisClient,
  options: Omit<EngineOptions, 'redis'>,
  close: () => Promise<void>,
): Engine {
  try {
    return new Engine({ ...options, redis, serverVersion: SDK_VERSION });
  } catch (error) {
    void close();
    throw error;
  }
}

function clientOf(redis: EmbeddedOptions['redis']): {
  readonly client: RedisClient;
  readonly close: () => Promise<void>;
} {
  if (typeof redis === 'string') return clientOf({ url: redis });
  if (typeof redis !== 'object' || redis === null) {
    throw invalid('redis', 'must be a URL, connection options or a client');
  }
  if ('send' in redis) return { client: redis, close: async () => {} };
  const client = connectRedis(redis);
  return { client, close: () => client.close() };
}
