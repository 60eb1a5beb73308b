import type { Redis } from 'ioredis';

const BATCH = 1_000;
/** Longer than any run. */
const LOCK_MS = 3_600_000;

/**
 * Puts so many running jobs of somebody else into a queue of BullMQ's layout: hash, lock and place, older than all that
 * is taken later.
 */
export async function seedOlderActive(redis: Redis, queue: string, count: number): Promise<void> {
  const base = `bull:${queue}`;
  for (let at = 0; at < count; at += BATCH) {
    const pipeline = redis.pipeline();
    for (let n = at; n < Math.min(at + BATCH, count); n += 1) {
      const id = `older-${n}`;
      const fields = ['name', 'older', 'data', '{}', 'opts', '{"attempts":0}', 'timestamp', '1'];
      pipeline.hset(`${base}:${id}`, ...fields, 'delay', '0', 'priority', '0', 'ats', '1');
      pipeline.set(`${base}:${id}:lock`, 'somebody', 'PX', LOCK_MS);
      pipeline.lpush(`${base}:active`, id);
    }
    await pipeline.exec();
  }
}
