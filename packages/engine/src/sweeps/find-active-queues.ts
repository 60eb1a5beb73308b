import type { RedisReply } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';

/** Makes SCAN take a text as it is. */
const globEscape = (text: string) => text.replace(/[\\*?[\]]/g, '\\$&');

/**
 * The queues of this prefix that have active jobs, whoever made them. Keys that are no queue's, and queues whose
 * `active` is no list, are passed over.
 */
export async function* findActiveQueues(
  deps: EngineDeps,
  stopped: () => boolean,
): AsyncGenerator<NamedQueue> {
  const { redis } = deps.store;
  const match = `${globEscape(deps.names.prefix)}:*:meta`;
  const seen = new Set<string>();
  // Each primary has a cursor of its own; the replies of the others to it are welcome and do not count.
  for (let node = 0, nodes = 1; node < nodes; node++) {
    let cursor = '0';
    do {
      const args = [cursor, 'MATCH', match, 'COUNT', 1_000];
      const replies = await redis.eachPrimary('SCAN', args);
      nodes = replies.length;
      for (const reply of replies) {
        for (const queue of queuesIn(reply, deps)) {
          if (stopped()) return;
          if (seen.has(queue.keys.base)) continue;
          seen.add(queue.keys.base);
          if (await hasActive(queue, deps)) yield queue;
        }
      }
      cursor = cursorOf(replies[node]);
    } while (cursor !== '0' && !stopped());
  }
}

function cursorOf(reply: RedisReply | undefined): string {
  return Array.isArray(reply) ? String(reply[0]) : '0';
}

function queuesIn(reply: RedisReply, deps: EngineDeps): NamedQueue[] {
  const keys = Array.isArray(reply) && Array.isArray(reply[1]) ? reply[1] : [];
  const head = `${deps.names.prefix}:`;
  return keys.flatMap((key) => {
    const text = String(key);
    if (!text.startsWith(head) || !text.endsWith(':meta')) return [];
    try {
      return [deps.names.resolve(text.slice(head.length, -':meta'.length))];
    } catch {
      return [];
    }
  });
}

async function hasActive({ keys }: NamedQueue, deps: EngineDeps): Promise<boolean> {
  try {
    return Number(await deps.store.redis.send('LLEN', [keys.active])) > 0;
  } catch (error) {
    // A key of another kind under that name.
    if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return false;
    throw error;
  }
}
