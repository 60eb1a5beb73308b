import type { Redis } from 'ioredis';
import type { Task } from '../peers/house.js';

/** What a queue's keys hold when all is over. */
export interface QueueBooks {
  /** Ids by location; a location without any is missing. */
  readonly locations: Readonly<Record<string, readonly string[]>>;
  /** By id. */
  readonly jobs: ReadonlyMap<string, StoredTask>;
  /** How often each id was announced as completed and as failed. */
  readonly events: Readonly<Record<'completed' | 'failed', ReadonlyMap<string, number>>>;
  /** Keys that are no job and no location, by what follows the queue's name; ids are taken out. */
  readonly others: Readonly<Record<string, number>>;
}

/** A job's hash, as far as books need it. */
export interface StoredTask {
  readonly key: string;
  readonly attemptsMade: number;
}

const LISTS = ['wait', 'paused', 'active'];
const SETS = ['prioritized', 'delayed', 'waiting-children', 'completed', 'failed'];
/** Keys of the queue itself that may stay. */
const OWN = new Set(['id', 'meta', 'events', 'marker', 'stalled', 'stalled-check', 'pc', 'repeat']);
const PARTS = /:(lock|dependencies|processed|failed|unsuccessful|logs)$/;
const PAGE = 5_000;

/** Jobs that are not at their end yet. */
export async function unfinished(redis: Redis, base: string): Promise<number> {
  const lists = await Promise.all(LISTS.map((name) => redis.llen(base + name)));
  const open = SETS.filter((name) => name !== 'completed' && name !== 'failed');
  const sets = await Promise.all(open.map((name) => redis.zcard(base + name)));
  return [...lists, ...sets].reduce((sum, count) => sum + count, 0);
}

/** Reads a queue that is at rest. `base` is what its keys begin with, the last colon included. */
export async function readQueueBooks(redis: Redis, base: string): Promise<QueueBooks> {
  const locations: Record<string, string[]> = {};
  for (const name of LISTS) locations[name] = await redis.lrange(base + name, '0', '-1');
  for (const name of SETS) locations[name] = await redis.zrange(base + name, '0', '-1');
  const others: Record<string, number> = {};
  const ids: string[] = [];
  for (const suffix of await suffixes(redis, base)) {
    if (suffix in locations) continue;
    const other = otherName(suffix);
    if (other === undefined) ids.push(suffix);
    else others[other] = (others[other] ?? 0) + 1;
  }
  return {
    locations: Object.fromEntries(Object.entries(locations).filter(([, held]) => held.length > 0)),
    jobs: await readJobs(redis, base, ids),
    events: await countEvents(redis, `${base}events`),
    others,
  };
}

async function suffixes(redis: Redis, base: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let cursor = '0'; ; ) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${base}*`, 'COUNT', PAGE);
    for (const key of keys) found.add(key.slice(base.length));
    if (next === '0') return found;
    cursor = next;
  }
}

/** What kind of key it is; undefined for a job. */
function otherName(suffix: string): string | undefined {
  if (OWN.has(suffix)) return suffix;
  const ours = /^meta:(\w+):/.exec(suffix)?.[1];
  if (ours !== undefined) return `meta:${ours}:…`;
  const part = PARTS.exec(suffix)?.[1];
  if (part !== undefined) return `ID:${part}`;
  return /^repeat:[^:]+$/.test(suffix) ? 'repeat:SCHEDULER' : undefined;
}

async function readJobs(
  redis: Redis,
  base: string,
  ids: readonly string[],
): Promise<Map<string, StoredTask>> {
  const jobs = new Map<string, StoredTask>();
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE);
    const pipeline = redis.pipeline();
    for (const id of page) pipeline.hmget(base + id, 'data', 'atm');
    const replies = (await pipeline.exec()) ?? [];
    for (const [index, [error, fields]] of replies.entries()) {
      if (error) throw error;
      const [data, atm] = fields as [string | null, string | null];
      const { key = '' } = JSON.parse(data ?? '{}') as Partial<Task>;
      jobs.set(page[index] as string, { key, attemptsMade: Number(atm ?? 0) });
    }
  }
  return jobs;
}

async function countEvents(redis: Redis, stream: string): Promise<QueueBooks['events']> {
  const counts = { completed: new Map<string, number>(), failed: new Map<string, number>() };
  for (let from = '-'; ; ) {
    const entries = await redis.xrange(stream, from, '+', 'COUNT', PAGE);
    for (const [, fields] of entries) {
      const at = (name: string) => fields[fields.indexOf(name) + 1] as string;
      const [event, id] = [at('event'), at('jobId')];
      if (event !== 'completed' && event !== 'failed') continue;
      counts[event].set(id, (counts[event].get(id) ?? 0) + 1);
    }
    if (entries.length < PAGE) return counts;
    from = `(${entries.at(-1)?.[0]}`;
  }
}
