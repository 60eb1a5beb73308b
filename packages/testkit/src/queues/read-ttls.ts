import { keysOf, type QueueKeys, type RedisClient } from './keys-of.js';

/** The keys of a queue that will expire, with the milliseconds that each has left. */
export async function readTtls(
  redis: RedisClient,
  queue: QueueKeys,
): Promise<Record<string, number>> {
  const ttls: Record<string, number> = {};
  const skip = Buffer.byteLength(queue.base);
  for (const key of await keysOf(redis, queue.base)) {
    const left = await redis.pttl(key);
    if (left >= 0) ttls[key.toString('utf8', skip)] = left;
  }
  return ttls;
}
