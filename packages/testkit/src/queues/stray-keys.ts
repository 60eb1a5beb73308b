import { keysOf, type QueueKeys, type RedisClient } from './keys-of.js';

/** The keys of the whole database that belong to none of these queues. */
export async function strayKeys(
  redis: RedisClient,
  ...queues: readonly QueueKeys[]
): Promise<string[]> {
  const keys = (await keysOf(redis, '')).map((key) => key.toString());
  return keys.filter((key) => !queues.some(({ base }) => key.startsWith(base)));
}
