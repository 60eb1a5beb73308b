import type { RedisClient } from './keys-of.js';
import type { Dumped } from './read.js';

type Encoding = 'utf8' | 'latin1';

/** One key's value by its type; `undefined` when there is no such key. */
export async function readValue(
  redis: RedisClient,
  key: Buffer,
  encoding: Encoding,
): Promise<Dumped | undefined> {
  const text = (bytes: Buffer): string => bytes.toString(encoding);
  const type = await redis.type(key);
  switch (type) {
    case 'none':
      return undefined;
    case 'string': {
      const value = await redis.getBuffer(key);
      return value === null ? undefined : text(value);
    }
    case 'list':
      return (await redis.lrangeBuffer(key, 0, -1)).map(text);
    case 'set':
      return (await redis.smembersBuffer(key)).map(text).sort();
    case 'zset': {
      const scored = await redis.zrangeBuffer(key, '0', '-1', 'WITHSCORES');
      return pairs(scored.map(text)).map(([member, score]): [string, number] => [
        member,
        Number(score),
      ]);
    }
    case 'hash':
      return Object.fromEntries(pairs(flat(await redis.callBuffer('HGETALL', key)).map(text)));
    case 'stream':
      return (await redis.xrangeBuffer(key, '-', '+')).map(([, fields]) =>
        Object.fromEntries(pairs(fields.map(text))),
      );
    default:
      throw new Error(`${text(key)} is a ${type}, which no queue has`);
  }
}

function flat(reply: unknown): Buffer[] {
  return Array.isArray(reply) ? reply.flat() : [];
}

function pairs(flatList: string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < flatList.length; at += 2) {
    list.push([flatList[at] as string, flatList[at + 1] as string]);
  }
  return list;
}
