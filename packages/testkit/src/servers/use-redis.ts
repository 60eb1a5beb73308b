import type { Redis } from 'ioredis';
import { type FreshQueue, type FreshQueueOptions, freshQueue } from '../queues/fresh-queue.js';
import type { ClientOptions } from './clients.js';
import { type PrivateRedis, type PrivateRedisOptions, privateRedis } from './private-redis.js';
import { useStarted } from './use-started.js';

/** The server of a test file; usable from the file's first hook or test on. */
export interface UsedRedis {
  /** The server, to freeze, crash and restart. */
  readonly server: PrivateRedis;
  readonly url: string;
  /** One client for the file. */
  readonly client: Redis;
  /** Another client, closed after the file's last test. */
  connect(options?: ClientOptions): Redis;
  /** A queue that no other test knows. */
  freshQueue(options?: FreshQueueOptions): FreshQueue;
}

/**
 * Gives a test file a private server, on a unix socket unless a port is asked for: started before
 * its first test, ended after its last. Call it once, at the top of the file or of a `describe`.
 *
 * The tests keep private servers also where `ECHOMQ_REDIS_URL` is set.
 */
export function useRedis(options: PrivateRedisOptions = {}): UsedRedis {
  const onPort = options.port !== undefined || options.tls !== undefined;
  const started = useStarted(() => privateRedis(onPort ? options : { socket: true, ...options }));
  let client: Redis | undefined;
  return {
    get server() {
      return started.value;
    },
    get url() {
      return started.value.url;
    },
    get client() {
      client ??= started.value.connect();
      return client;
    },
    connect: (more) => started.value.connect(more),
    freshQueue(more) {
      return freshQueue(this.client, more);
    },
  };
}
