import type { ChainableCommander, Redis } from 'ioredis';

/** Where an id can be, by the name of the key. */
export const LOCATIONS = [
  'wait',
  'paused',
  'prioritized',
  'delayed',
  'active',
  'waiting-children',
  'completed',
  'failed',
] as const;

/** One of {@link LOCATIONS}. */
export type Location = (typeof LOCATIONS)[number];

const LISTS: ReadonlySet<Location> = new Set(['wait', 'paused', 'active']);

/** What a job's hash says. Times in ms since the epoch, by the store's clock. */
export interface StoredJob {
  readonly name: string;
  readonly addedAt: number;
  /** When a worker got it last; `undefined` when none ever did. */
  readonly takenAt: number | undefined;
  readonly finishedAt: number | undefined;
  /** Runs that ended and counted. */
  readonly attemptsMade: number;
  /** Times that it was taken from a silent worker. */
  readonly stalledCount: number;
  /** The worker that got it last. */
  readonly worker: string;
  /** JSON text; empty when the handler has said nothing. */
  readonly progress: string;
  /** JSON text; empty when there is none. */
  readonly result: string;
  readonly failedReason: string;
}

/** In the order of {@link jobOf}; the layout's short names stand here and nowhere else in the demo. */
const FIELDS = [
  'name',
  'timestamp',
  'processedOn',
  'finishedOn',
  'atm',
  'stc',
  'pb',
  'progress',
  'returnvalue',
  'failedReason',
] as const;

/** A queue as it stands in Redis, read past the gateway. Nothing here writes. */
export class StoredQueue {
  /** `prefix:queue:`, with which each key of the queue begins. */
  readonly base: string;

  constructor(
    private readonly redis: Redis,
    { prefix, queue }: { readonly prefix: string; readonly queue: string },
  ) {
    this.base = `${prefix}:${queue}:`;
  }

  /** The ids in each location, all at one instant. */
  async ids(): Promise<ReadonlyMap<Location, readonly string[]>> {
    const all = this.redis.multi();
    for (const location of LOCATIONS) {
      const key = this.base + location;
      if (LISTS.has(location)) all.lrange(key, 0, -1);
      else all.zrange(key, 0, '-1');
    }
    const replies = await answersOf(all);
    return new Map(LOCATIONS.map((location, i) => [location, replies[i] as string[]]));
  }

  /** How many jobs have finished, one way or the other. */
  async finished(): Promise<number> {
    const all = this.redis.multi().zcard(`${this.base}completed`).zcard(`${this.base}failed`);
    const [completed, failed] = (await answersOf(all)) as number[];
    return (completed ?? 0) + (failed ?? 0);
  }

  /** The jobs of these ids; one without a hash is left out. */
  async jobs(ids: readonly string[]): Promise<ReadonlyMap<string, StoredJob>> {
    const all = this.redis.pipeline();
    for (const id of ids) all.hmget(this.base + id, ...FIELDS);
    const replies = await answersOf(all);
    return new Map(
      ids.flatMap((id, i) => {
        const job = jobOf(replies[i] as (string | null)[]);
        return job ? [[id, job] as const] : [];
      }),
    );
  }

  /** What hangs on single jobs, found by a scan of all keys: the ids with a hash and the ids with a lock. */
  async keysOfJobs(): Promise<{ readonly hashes: string[]; readonly locks: string[] }> {
    const hashes: string[] = [];
    const locks: string[] = [];
    for (const key of await keysBelow(this.redis, this.base)) {
      const name = key.slice(this.base.length);
      // The gateway counts ids up; no other key of a queue is a number.
      if (/^\d+$/.test(name)) hashes.push(name);
      else if (name.endsWith(':lock')) locks.push(name.slice(0, -':lock'.length));
    }
    return { hashes, locks };
  }
}

/** Each key that begins with a text, once. */
export async function keysBelow(redis: Redis, base: string): Promise<ReadonlySet<string>> {
  const pattern = `${base.replace(/[\\*?[\]]/g, '\\$&')}*`;
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  return found;
}

function jobOf(values: readonly (string | null)[]): StoredJob | undefined {
  const [name, added, taken, finished, attempts, stalls, worker, progress, result, reason] = values;
  if (name === null || name === undefined) return undefined;
  const time = (text: string | null | undefined) => (text ? Number(text) : undefined);
  return {
    name,
    addedAt: Number(added),
    takenAt: time(taken),
    finishedAt: time(finished),
    attemptsMade: Number(attempts ?? 0),
    stalledCount: Number(stalls ?? 0),
    worker: worker ?? '',
    progress: progress ?? '',
    result: result ?? '',
    failedReason: reason ?? '',
  };
}

async function answersOf(commands: ChainableCommander): Promise<unknown[]> {
  const replies = (await commands.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
