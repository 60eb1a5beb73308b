import type { Problems } from '../problems.js';
import { type Reach, walkReached } from '../reach.js';
import { redisCall } from '../redis-calls.js';

/** All that a query may call: none of these changes a key, and EVALSHA_RO lets each of them pass. */
const READS = new Set(
  (
    'EXISTS TYPE TTL PTTL EXPIRETIME PEXPIRETIME TIME OBJECT ' +
    'GET MGET STRLEN GETRANGE GETBIT BITCOUNT BITPOS ' +
    'HGET HMGET HGETALL HEXISTS HKEYS HVALS HLEN HSTRLEN HSCAN HRANDFIELD ' +
    'LLEN LRANGE LINDEX LPOS ' +
    'SCARD SISMEMBER SMISMEMBER SMEMBERS SSCAN SRANDMEMBER SINTER SUNION SDIFF ' +
    'ZCARD ZCOUNT ZSCORE ZMSCORE ZRANK ZREVRANK ZRANGE ZREVRANGE ZRANGEBYSCORE ' +
    'ZREVRANGEBYSCORE ZRANGEBYLEX ZREVRANGEBYLEX ZLEXCOUNT ZSCAN ZRANDMEMBER ' +
    'XLEN XRANGE XREVRANGE XINFO XPENDING SORT_RO'
  ).split(' '),
);

/** Refuses a query that comes to any other command, or to one that is not written out. */
export function checkQueries(reach: Reach, problems: Problems): void {
  for (const [script, reached] of reach) {
    if (script.kind !== 'query') continue;
    walkReached(reached, (node, source) => {
      const call = redisCall(node);
      if (!call || (call.command !== undefined && READS.has(call.command))) return;
      const what = call.command ?? 'a command that is not written out';
      const message = `the query ${script.label} calls ${what}: it may only read`;
      problems.add(source.file.path, call.line, message);
    });
  }
}
