import { Cluster, type Redis } from 'ioredis';

/** A client of a server or of a cluster. */
export type RedisClient = Redis | Cluster;

/** What names a queue's keys: `bull:NAME:`. */
export interface QueueKeys {
  readonly base: string;
}

/** Makes SCAN take a text as it is, whatever of `* ? [ ] \` stands in it. */
export function globEscape(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}

/**
 * Every key that begins with `base`, sorted; in a cluster, of all its nodes.
 *
 * @param base taken as it is; the empty text gives all keys
 */
export async function keysOf(redis: RedisClient, base: string): Promise<Buffer[]> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const found = new Map<string, Buffer>();
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scanBuffer(
        cursor,
        'MATCH',
        `${globEscape(base)}*`,
        'COUNT',
        1000,
      );
      // SCAN may give a key twice.
      for (const key of keys) found.set(key.toString('latin1'), key);
      cursor = next.toString();
    } while (cursor !== '0');
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}
