import type { QueueKeys, RedisClient } from './keys-of.js';
import { globEscape } from './keys-of.js';
import type { Dumped, QueueDump } from './read.js';

const SCRIPT = `
local dump = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local kind = redis.call('TYPE', key).ok
  local value
  if kind == 'string' then value = redis.call('GET', key)
  elseif kind == 'list' then value = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then value = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'hash' then value = redis.call('HGETALL', key)
  else value = redis.call('XRANGE', key, '-', '+') end
  dump[#dump + 1] = { key, kind, value }
end
return dump`;

/**
 * What `read` gives, of one instant: for queues that change while they are read. It holds the server for as long as it
 * takes, so it is for small queues, and on a single server.
 */
export async function readAtOnce(redis: RedisClient, { base }: QueueKeys): Promise<QueueDump> {
  const rows = (await redis.eval(SCRIPT, 0, globEscape(base))) as [string, string, unknown][];
  const sorted = rows.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, kind, value]) => [key.slice(base.length), shaped(kind, value)]),
  );
}

function shaped(kind: string, value: unknown): Dumped {
  const texts = value as string[];
  switch (kind) {
    case 'string':
      return String(value);
    case 'list':
      return texts;
    case 'set':
      return texts.sort();
    case 'zset':
      return pairs(texts).map(([member, score]): [string, number] => [member, Number(score)]);
    case 'hash':
      return Object.fromEntries(pairs(texts));
    default:
      return (value as [string, string[]][]).map(([, fields]) => Object.fromEntries(pairs(fields)));
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [
    flat[2 * at] as string,
    flat[2 * at + 1] as string,
  ]);
}
