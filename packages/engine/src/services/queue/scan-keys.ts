import type { RedisClient, RedisReply } from '@echomq/core';

/**
 * All keys that match a pattern, on every primary. Each step of SCAN goes to all primaries, since no command can be sent
 * to one of them, and only the answer of the primary that gave the cursor counts. A failover meanwhile may hide keys.
 */
export async function scanKeys(redis: RedisClient, pattern: string): Promise<Set<string>> {
  const found = new Set<string>();
  const step = (cursor: string) =>
    redis.eachPrimary('SCAN', [cursor, 'MATCH', pattern, 'COUNT', 1_000]);
  const first = await step('0');
  await Promise.all(
    first.map(async (reply, primary) => {
      let cursor = take(reply, found);
      while (cursor !== '0') cursor = take((await step(cursor))[primary], found);
    }),
  );
  return found;
}

/** Keeps the keys of a SCAN's answer and returns its cursor. */
function take(reply: RedisReply | undefined, found: Set<string>): string {
  if (!Array.isArray(reply)) return '0';
  const [cursor, keys] = reply;
  for (const key of Array.isArray(keys) ? keys : []) found.add(String(key));
  return String(cursor ?? '0');
}

/** A text in which nothing means anything to MATCH. */
export function globEscape(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
