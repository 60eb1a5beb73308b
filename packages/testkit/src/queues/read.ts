import { keysOf, type QueueKeys, type RedisClient } from './keys-of.js';
import { readValue } from './read-value.js';

/**
 * One key's value: list → array, head first · set → sorted array · zset → `[member, score]` in
 * order · hash → object · string → string · stream → one object of fields per entry, in order.
 */
export type Dumped =
  | string
  | string[]
  | [member: string, score: number][]
  | Record<string, string>
  | Record<string, string>[];

/** A whole queue: each of its keys, by what comes after `prefix:name:`. */
export type QueueDump = Record<string, Dumped>;

/** How bytes become text. */
export interface ReadOptions {
  /** `latin1` keeps every byte, one character each; `utf8` is the default. */
  readonly encoding?: 'utf8' | 'latin1';
}

/**
 * Every key of a queue with its whole value, ready for `toEqual`: a key that a script wrote where it
 * should not is in it. Times to live are in `readTtls`, ids of stream entries nowhere.
 */
export async function read(
  redis: RedisClient,
  queue: QueueKeys,
  options: ReadOptions = {},
): Promise<QueueDump> {
  const encoding = options.encoding ?? 'utf8';
  const keys = await keysOf(redis, queue.base);
  const skip = Buffer.byteLength(queue.base);
  const values = await Promise.all(keys.map((key) => readValue(redis, key, encoding)));
  const dump: QueueDump = {};
  keys.forEach((key, at) => {
    const value = values[at];
    // A key may have expired between the SCAN and its reading.
    if (value !== undefined) dump[key.toString(encoding, skip)] = value;
  });
  return dump;
}
