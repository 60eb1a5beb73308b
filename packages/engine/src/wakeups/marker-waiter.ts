import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient, RedisReply } from '@echomq/core';
import type { EngineLogger } from '../ports.js';

/** A queue whose marker is waited for. */
export interface Watched {
  readonly lane: { readonly queue: { readonly keys: { readonly marker: string } } };
  /** Something may be there now. */
  wake(): void;
  /** The first delayed job is due then, by the store's clock. */
  noteDue(storeMs: number): void;
  readonly hasDemand: boolean;
}

/** Spans of a waiter, ms. */
export interface WaitSpans {
  /** How long one BZPOPMIN blocks. */
  readonly blockMs: number;
  /** How much later than that its answer may come before the connection is given up. */
  readonly graceMs: number;
}

/** What a waiter works with. */
export interface WaiterPorts {
  /** For commands; a connection of its own for blocking is made from it. */
  readonly redis: RedisClient;
  readonly logger: EngineLogger;
  readonly spans: WaitSpans;
}

/**
 * One blocking connection that waits for the markers of many queues. BZPOPMIN serves the first key that has a member,
 * so the order of the keys is rotated; a queue that joins interrupts the wait.
 */
export class MarkerWaiter {
  readonly #watched = new Map<string, Watched>();
  readonly #stop = new AbortController();
  #blocking: RedisClient | undefined;
  #clientId: number | undefined;
  /** The keys of the BZPOPMIN under way. */
  #parked: ReadonlySet<string> | undefined;
  #changed: (() => void) | undefined;
  #rotation = 0;
  #running: Promise<void> | undefined;

  constructor(private readonly ports: WaiterPorts) {}

  /** Waits for this queue's marker too. */
  add(queue: Watched): void {
    const key = queue.lane.queue.keys.marker;
    if (this.#watched.has(key) || this.#stop.signal.aborted) return;
    this.#watched.set(key, queue);
    this.#running ??= this.#loop();
    if (this.#parked && !this.#parked.has(key)) void this.#interrupt(this.#parked);
    this.#changed?.();
  }

  /** Waits for it no longer. A wait under way is left alone: should it bring this marker, it is put back. */
  remove(queue: Watched): void {
    this.#watched.delete(queue.lane.queue.keys.marker);
  }

  /** How many queues are waited for. */
  get size(): number {
    return this.#watched.size;
  }

  /** Ends the wait and its connection. */
  async close(): Promise<void> {
    this.#watched.clear();
    this.#stop.abort();
    this.#changed?.();
    await this.#drop();
    await this.#running;
  }

  async #loop(): Promise<void> {
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      if (this.#watched.size === 0) {
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
        continue;
      }
      try {
        await this.#wait();
        failures = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        failures++;
        if (failures === 1) this.ports.logger.warn('wakeups.lost', { error: String(error) });
        await this.#drop();
        const waitMs = Math.min(50 * 2 ** Math.min(failures, 5), 1_000);
        await sleep(waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    }
  }

  async #wait(): Promise<void> {
    const client = await this.#connect();
    const keys = this.#rotated();
    if (keys.length === 0) return;
    const { blockMs, graceMs } = this.ports.spans;
    this.#parked = new Set(keys);
    try {
      const reply = client.send('BZPOPMIN', [...keys, blockMs / 1_000]);
      this.#handle(await within(reply, blockMs + graceMs));
    } finally {
      this.#parked = undefined;
    }
  }

  #handle(reply: RedisReply): void {
    if (!Array.isArray(reply)) return;
    const [key, member, score] = reply.map(String) as [string, string, string];
    const queue = this.#watched.get(key);
    if (member === '1') {
      // The owner of a popped "1" is the one who waits for it.
      if (queue) queue.noteDue(Number(score));
      else this.#putBack(key, score, '1');
    } else if (queue?.hasDemand) {
      queue.wake();
    } else {
      this.#putBack(key, '0', '0');
    }
  }

  #putBack(key: string, score: string, member: string): void {
    // Another worker sleeps without it only until its own next look.
    this.ports.redis.send('ZADD', [key, score, member]).catch(() => undefined);
  }

  async #connect(): Promise<RedisClient> {
    if (!this.#blocking) {
      const client = this.ports.redis.duplicate();
      this.#blocking = client;
      this.#clientId = undefined;
      await client.whenReady(this.#stop.signal);
    }
    if (this.#clientId === undefined) {
      this.#clientId = Number(await within(this.#blocking.send('CLIENT', ['ID']), 5_000));
      // What was added while nobody waited left its marker; what was lost with a connection did not.
      for (const queue of [...this.#watched.values()]) queue.wake();
    }
    return this.#blocking;
  }

  /** Asks until the wait has ended: the BZPOPMIN may not have reached the server yet. */
  async #interrupt(parked: ReadonlySet<string>): Promise<void> {
    while (this.#parked === parked && this.#clientId !== undefined && this.ports.redis.ready) {
      const reply = await this.ports.redis
        .send('CLIENT', ['UNBLOCK', this.#clientId])
        .catch(() => undefined);
      if (reply === 1 || reply === undefined) return;
      await sleep(1);
    }
  }

  async #drop(): Promise<void> {
    const client = this.#blocking;
    this.#blocking = undefined;
    this.#clientId = undefined;
    await client?.close();
  }

  #rotated(): string[] {
    const keys = [...this.#watched.keys()];
    this.#rotation = (this.#rotation + 1) % Math.max(1, keys.length);
    return [...keys.slice(this.#rotation), ...keys.slice(0, this.#rotation)];
  }
}

/** The promise, or an error after so many ms; what comes later is dropped. */
async function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined);
  }
}
