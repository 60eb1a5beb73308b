import { randomBytes } from 'node:crypto';
import type { QueueKeys, RedisClient } from './keys-of.js';
import { type QueueDump, type ReadOptions, read } from './read.js';
import { readAtOnce } from './read-at-once.js';
import { readTtls } from './read-ttls.js';
import { type QueueState, seed } from './seed.js';

/** Where a fresh queue's name comes from. */
export interface FreshQueueOptions {
  /** `bull` by default; in a cluster `{bull}`. */
  readonly prefix?: string;
  /** A name of the test's choice; else one that no other test has. */
  readonly name?: string;
}

/** A queue under test, bound to a client. */
export interface FreshQueue extends QueueKeys {
  readonly name: string;
  readonly prefix: string;
  /** `prefix:name:`, with which every key of the queue begins. */
  readonly base: string;
  /** The key of a part of the queue, for example `key('wait')`. */
  key(suffix: string): string;
  /** See {@link seed}. */
  seed(state: QueueState): Promise<void>;
  /** See {@link read}. */
  read(options?: ReadOptions): Promise<QueueDump>;
  /** See {@link readAtOnce}. */
  readAtOnce(): Promise<QueueDump>;
  /** See {@link readTtls}. */
  readTtls(): Promise<Record<string, number>>;
}

/** A queue with a name of its own; nothing is written. */
export function freshQueue(redis: RedisClient, options: FreshQueueOptions = {}): FreshQueue {
  const { prefix = 'bull', name = `q-${randomBytes(5).toString('hex')}` } = options;
  const base = `${prefix}:${name}:`;
  return {
    name,
    prefix,
    base,
    key: (suffix) => base + suffix,
    seed: (state) => seed(redis, { base }, state),
    read: (more) => read(redis, { base }, more),
    readAtOnce: () => readAtOnce(redis, { base }),
    readTtls: () => readTtls(redis, { base }),
  };
}
