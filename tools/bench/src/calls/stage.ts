import { readFileSync } from 'node:fs';
import { addJobs, moveBatch, QueueKeys, type RedisReply, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { Redis } from 'ioredis';
import type { CallCase, Held, Setting, Yardstick } from './call-case.js';
import { firstToken, job, LOCK_MS } from './fixtures.js';
import { type CallStatistics, parseStatistics, since } from './statistics.js';

/** Who is measured. */
export type Side = 'ours' | 'yardstick';

const YARDSTICKS = new URL('../../yardsticks/', import.meta.url);
const QUEUE = 'calls';

/** A private server on which cases are played, each time on an empty one. */
export class Stage {
  readonly redis: Redis;
  readonly keys = new QueueKeys('bull', QUEUE);
  readonly #shas = new Map<string, string>();

  private constructor(
    private readonly store: Store,
    url: string,
    /** See {@link Setting.now}. */
    private readonly now: number | '',
  ) {
    this.redis = new Redis(url);
  }

  /** @param now what the scripts take for the time; '' lets them ask the server. */
  static async open(url: string, now: number | '' = ''): Promise<Stage> {
    const client = connectRedis({ url });
    await client.whenReady(AbortSignal.timeout(10_000));
    return new Stage(new Store(client), url, now);
  }

  /** Plays a case on an empty server and returns what its one call has cost there. Both scripts are known by then. */
  async play(each: CallCase, side: Side): Promise<CallStatistics> {
    const setting = { store: this.store, keys: this.keys, now: this.now };
    await this.redis.flushall();
    const held = await prepare(each, setting);
    // Whoever waited has popped the marker, and a sweep has seen what runs: what a script does there can be seen.
    await this.redis.del(this.keys.marker);
    if (held.length > 0)
      await this.redis.sadd(this.keys.stalled, ...held.map(({ jobId }) => jobId));
    const yardstick = each.yardstick(setting, held);
    const sha = await this.#load(yardstick);
    const before = await this.#statistics();
    if (side === 'ours') await each.run(setting, held);
    else await this.#send(sha, yardstick);
    return since(before, await this.#statistics());
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.store.redis.close();
  }

  async #statistics(): Promise<CallStatistics> {
    return parseStatistics(await this.redis.info('commandstats'));
  }

  async #load({ file }: Yardstick): Promise<string> {
    const known = this.#shas.get(file);
    if (known) return known;
    const text = readFileSync(new URL(`${file}.lua`, YARDSTICKS), 'utf8');
    const sha = String(await this.redis.script('LOAD', text));
    this.#shas.set(file, sha);
    return sha;
  }

  #send(sha: string, { keys, args }: Yardstick): Promise<RedisReply> {
    return this.store.command('EVALSHA', [sha, keys.length, ...keys, ...args]);
  }
}

/** Brings a queue to where a case begins. */
async function prepare(each: CallCase, setting: Setting): Promise<readonly Held[]> {
  const { waiting = 1, taken = 0, opts } = each;
  const { store, keys, now } = setting;
  const jobs = Array.from({ length: waiting }, () => job(opts === undefined ? {} : { opts }));
  await addJobs(store, keys, jobs, { now });
  const fetches = Array.from({ length: taken }, (_, at) => ({
    token: firstToken(at),
    lockDuration: LOCK_MS,
  }));
  if (taken > 0) await moveBatch(store, keys, fetches, { now });
  const first = fetches.map(({ token }, at) => ({ jobId: String(at + 1), token }));
  return each.prepare ? each.prepare(setting, first) : first;
}
