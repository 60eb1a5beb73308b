import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient, RedisReply } from '@echomq/core';
import type { EngineLogger } from '../ports.js';
import { BadMarkers } from './bad-markers.js';
import { BlockingConnection } from './blocking-connection.js';

/** A queue whose marker is waited for. */
export interface Watched {
  readonly lane: { readonly queue: { readonly keys: { readonly marker: string } } };
  /** Something may be there now. */
  wake(): void;
  /** The first delayed job is due then, by the store's clock. */
  noteDue(storeMs: number): void;
  readonly hasDemand: boolean;
}

/** What a waiter works with. */
export interface WaiterPorts {
  /** For commands; a connection of its own for blocking is made from it. */
  readonly redis: RedisClient;
  readonly logger: EngineLogger;
}

/** How long one BZPOPMIN blocks, ms. A dead connection is noticed 5 s later. */
const BLOCK_MS = 1_000;

/**
 * One blocking connection that waits for the markers of many queues. BZPOPMIN serves the first key that has a member,
 * so the order of the keys is rotated; a queue that joins interrupts the wait.
 */
export class MarkerWaiter {
  readonly #watched = new Map<string, Watched>();
  readonly #stop = new AbortController();
  readonly #connection: BlockingConnection;
  readonly #bad: BadMarkers;
  /** The queues of the BZPOPMIN under way, by their markers. */
  #parked: ReadonlyMap<string, Watched> | undefined;
  #joined: (() => void) | undefined;
  #rotation = 0;
  #running: Promise<void> | undefined;

  constructor(private readonly ports: WaiterPorts) {
    this.#bad = new BadMarkers(ports);
    // What was added while nobody listened may have left no marker.
    this.#connection = new BlockingConnection(ports.redis, () => {
      for (const queue of [...this.#watched.values()]) queue.wake();
    });
  }

  /** Waits for this queue's marker too. */
  add(queue: Watched): void {
    const key = queue.lane.queue.keys.marker;
    if (this.#watched.has(key) || this.#stop.signal.aborted) return;
    this.#watched.set(key, queue);
    this.#running ??= this.#loop();
    if (this.#parked && !this.#parked.has(key)) void this.#connection.interrupt();
    this.#joined?.();
  }

  /**
   * Waits for it no longer. A wait under way is left alone: should it bring this marker, it is put back, unless somebody
   * here still wants what it tells of.
   */
  remove(queue: Watched): void {
    this.#watched.delete(queue.lane.queue.keys.marker);
  }

  /** Ends the wait and its connection. */
  async close(): Promise<void> {
    this.#watched.clear();
    this.#stop.abort();
    this.#joined?.();
    await this.#connection.drop();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      if (this.#watched.size === 0) {
        await new Promise<void>((resolve) => {
          this.#joined = resolve;
        });
        continue;
      }
      try {
        await this.#wait();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (await this.#bad.find([...this.#watched.keys()], error)) continue;
        failures++;
        if (failures === 1) this.ports.logger.warn('wakeups.lost', { error: String(error) });
        await this.#connection.drop();
        const waitMs = Math.min(50 * 2 ** Math.min(failures, 5), 1_000);
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #wait(): Promise<void> {
    const keys = this.#rotated();
    const parked = new Map(this.#watched);
    this.#parked = parked;
    try {
      const usable = this.#bad.without(keys);
      if (usable.length === 0) throw new Error('no marker of a queue can be waited for');
      const args = [...usable, BLOCK_MS / 1_000];
      const reply = await this.#connection.call('BZPOPMIN', args, BLOCK_MS, this.#stop.signal);
      this.#handle(reply, parked);
    } finally {
      this.#parked = undefined;
    }
  }

  #handle(reply: RedisReply, parked: ReadonlyMap<string, Watched>): void {
    if (!Array.isArray(reply)) return;
    const [key, member, score] = reply.map(String) as [string, string, string];
    const queue = this.#watched.get(key);
    // One that has begun to fetch meanwhile looks once more instead of others.
    const wanting = queue ?? parked.get(key);
    if (member === '1') {
      // Who pops a "1" is the one who waits for its time.
      if (queue) queue.noteDue(Number(score));
      else this.#putBack(key, score, '1');
    } else if (wanting?.hasDemand) {
      wanting.wake();
    } else {
      this.#putBack(key, '0', '0');
    }
  }

  #putBack(key: string, score: string, member: string): void {
    // Another worker sleeps without it only until its own next look.
    this.ports.redis.send('ZADD', [key, score, member]).catch(() => undefined);
  }

  #rotated(): string[] {
    const keys = [...this.#watched.keys()];
    this.#rotation = (this.#rotation + 1) % keys.length;
    return [...keys.slice(this.#rotation), ...keys.slice(0, this.#rotation)];
  }
}
