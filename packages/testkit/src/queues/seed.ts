import type { ChainableCommander } from 'ioredis';
import { type JobSeed, jobHash } from './job-hash.js';
import type { QueueKeys, RedisClient } from './keys-of.js';

/** A lock's token, alone or with its time to live in milliseconds (30,000 when it is alone). */
export type LockSeed = string | { readonly token: string; readonly ttlMs: number };

/**
 * A key's value, in the shapes that `read` gives; a zset may also be `{ member: score }`, a hash may
 * have numbers. Lists are written head first: of `wait: ['2', '1']` job 1 runs first.
 */
export type SeedValue =
  | string
  | number
  | readonly string[]
  | readonly (readonly [member: string, score: number])[]
  | readonly Readonly<Record<string, string>>[]
  | Readonly<Record<string, string | number>>;

/** A queue's state, by what comes after `prefix:name:` in each key. */
export interface QueueState {
  /** Job hashes by id; see {@link jobHash} for what may be left out. */
  readonly jobs?: Readonly<Record<string, JobSeed>>;
  /** Locks by job id. */
  readonly locks?: Readonly<Record<string, LockSeed>>;
  /** Milliseconds to live, by key. */
  readonly ttls?: Readonly<Record<string, number>>;
  readonly [suffix: string]:
    | SeedValue
    | Readonly<Record<string, JobSeed>>
    | Readonly<Record<string, LockSeed>>
    | undefined;
}

/** The suffixes whose plain arrays are sets; every other plain array is a list. */
const SETS = /(^stalled|:dependencies)$/;
/** The suffixes whose objects of numbers are zsets; every other object is a hash. */
const ZSETS =
  /^(prioritized|delayed|waiting-children|completed|failed|marker|repeat)$|:unsuccessful$/;

/**
 * Writes a state, raw, as one MULTI. A key that it names is replaced, others stay. What `read` gives
 * can be seeded again.
 *
 * @throws Error when Redis refuses a write; then the test has described something impossible.
 */
export async function seed(redis: RedisClient, queue: QueueKeys, state: QueueState): Promise<void> {
  const { jobs = {}, locks = {}, ttls = {}, ...values } = state;
  const tx = redis.multi();
  for (const [suffix, value] of Object.entries(values)) {
    if (value !== undefined) write(tx, queue.base, suffix, value as SeedValue);
  }
  for (const [id, job] of Object.entries(jobs)) write(tx, queue.base, id, jobHash(job));
  for (const [id, lock] of Object.entries(locks)) {
    const { token, ttlMs } = typeof lock === 'string' ? { token: lock, ttlMs: 30_000 } : lock;
    tx.set(`${queue.base}${id}:lock`, token, 'PX', ttlMs);
  }
  for (const [suffix, ttlMs] of Object.entries(ttls)) tx.pexpire(queue.base + suffix, ttlMs);
  const replies = (await tx.exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
}

function write(tx: ChainableCommander, base: string, suffix: string, value: SeedValue): void {
  const key = base + suffix;
  tx.del(key);
  if (typeof value === 'string' || typeof value === 'number') {
    tx.set(key, value);
  } else if (Array.isArray(value)) {
    for (const item of value) writeItem(tx, key, item, SETS.test(suffix));
  } else {
    for (const [name, content] of Object.entries(value)) {
      if (ZSETS.test(suffix)) tx.zadd(key, content, name);
      else tx.hset(key, name, content);
    }
  }
}

function writeItem(tx: ChainableCommander, key: string, item: unknown, isSet: boolean): void {
  if (typeof item === 'string') {
    if (isSet) tx.sadd(key, item);
    else tx.rpush(key, item);
  } else if (Array.isArray(item)) {
    tx.zadd(key, Number(item[1]), String(item[0]));
  } else {
    tx.xadd(key, '*', ...Object.entries(item as Record<string, string>).flat());
  }
}
