import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient, Store } from '@echomq/core';
import type { EngineLogger } from '../ports.js';
import { BlockingConnection } from '../wakeups/blocking-connection.js';
import { newestEventId } from './event-log.js';
import { compareIds, type StreamEntry, streamsOf } from './stream-entry.js';

/** Told of new entries, in order, none of them older than its joining. */
export type TailListener = (entries: readonly StreamEntry[]) => void;

/** A listener's hold on a stream. */
export interface Following {
  /** The entry after which it is told of all. */
  readonly after: string;
  /** Ends it; to be called once. */
  stop(): void;
}

const BLOCK_MS = 5_000;
const MAX_ENTRIES = 1_000;

/**
 * Follows the ends of many event streams on one blocking connection (in a cluster one each): one XREAD for all who
 * wait in this process.
 */
export class EventTail {
  readonly #readers = new Map<string, { readonly reader: TailReader; users: number }>();
  #followers = 0;

  constructor(private readonly ports: TailPorts) {}

  /** How many follow now. */
  get followers(): number {
    return this.#followers;
  }

  /** Tells of every entry appended from now on. Resolves once nothing can be missed. */
  async follow(key: string, listener: TailListener): Promise<Following> {
    // In a cluster two streams need not be on one node.
    const name = this.ports.redis.cluster ? key : '';
    const used = this.#readers.get(name) ?? { reader: new TailReader(this.ports), users: 0 };
    this.#readers.set(name, used);
    used.users++;
    this.#followers++;
    let following: Following | undefined;
    const stop = () => {
      following?.stop();
      used.users--;
      this.#followers--;
      if (name === '' || used.users > 0) return;
      this.#readers.delete(name);
      void used.reader.close();
    };
    try {
      following = await used.reader.follow(key, listener);
      return { after: following.after, stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#readers.values()].map(({ reader }) => reader.close()));
  }
}

/** What a tail works with. */
export interface TailPorts {
  readonly redis: RedisClient;
  readonly store: Store;
  readonly logger: EngineLogger;
  /**
   * For listeners to whom it matters only that something has happened: they are told at most once in so many ms, and
   * of one entry or none, however much was appended meanwhile.
   */
  readonly paceMs?: number;
}

interface Followed {
  /** The last entry that was read. */
  position: string;
  /** Each with the last entry that it is not to be told of. */
  readonly listeners: Map<TailListener, string>;
}

class TailReader {
  readonly #streams = new Map<string, Followed>();
  readonly #stop = new AbortController();
  readonly #connection: BlockingConnection;
  #running: Promise<void> | undefined;
  #joined: (() => void) | undefined;

  constructor(private readonly ports: TailPorts) {
    this.#connection = new BlockingConnection(ports.redis);
  }

  async follow(key: string, listener: TailListener): Promise<Following> {
    const newest = await newestEventId(this.ports.store, key);
    let stream = this.#streams.get(key);
    if (!stream) {
      stream = { position: newest, listeners: new Map() };
      this.#streams.set(key, stream);
      if (!this.#stop.signal.aborted) this.#running ??= this.#loop();
      void this.#connection.interrupt();
    }
    const { listeners } = stream;
    listeners.set(listener, newest);
    this.#joined?.();
    const stop = () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#streams.get(key)?.listeners === listeners) {
        this.#streams.delete(key);
      }
    };
    return { after: newest, stop };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#streams.clear();
    this.#joined?.();
    await this.#connection.drop();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      if (this.#streams.size === 0) {
        // Nobody follows: no connection is held for that.
        await this.#connection.drop();
        await this.#nextJoin();
        continue;
      }
      try {
        const any = await this.#read();
        failures = 0;
        if (any) await this.#rest();
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        if (failures === 1) this.ports.logger.warn('events.lost', { error: String(error) });
        await this.#connection.drop();
        const waitMs = Math.min(50 * 2 ** Math.min(failures, 5), 1_000);
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #nextJoin(): Promise<void> {
    if (this.#streams.size > 0 || this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#joined = resolve;
    });
  }

  /** True when something was appended. */
  async #read(): Promise<boolean> {
    const keys = [...this.#streams.keys()];
    const positions = keys.map((key) => this.#streams.get(key)?.position ?? '$');
    const count = this.ports.paceMs === undefined ? MAX_ENTRIES : 1;
    const args = ['COUNT', count, 'BLOCK', BLOCK_MS, 'STREAMS', ...keys, ...positions];
    const reply = await this.#connection.call('XREAD', args, BLOCK_MS, this.#stop.signal);
    const streams = streamsOf(reply);
    for (const [key, entries] of streams) this.#tell(key, entries);
    return streams.length > 0;
  }

  /** With a pace: waits, passes over what was appended meanwhile, and tells that something was. */
  async #rest(): Promise<void> {
    const { paceMs, store } = this.ports;
    if (paceMs === undefined) return;
    await sleep(paceMs, undefined, { signal: this.#stop.signal });
    for (const [key, stream] of [...this.#streams]) {
      const newest = await newestEventId(store, key);
      if (compareIds(newest, stream.position) <= 0) continue;
      stream.position = newest;
      for (const listener of [...stream.listeners.keys()]) listener([]);
    }
  }

  #tell(key: string, entries: readonly StreamEntry[]): void {
    const stream = this.#streams.get(key);
    const [first, last] = [entries[0], entries.at(-1)];
    if (!stream || !first || !last) return;
    stream.position = last.id;
    for (const [listener, after] of [...stream.listeners]) {
      const all = compareIds(first.id, after) > 0;
      const fresh = all ? entries : entries.filter(({ id }) => compareIds(id, after) > 0);
      if (fresh.length > 0) listener(fresh);
    }
  }
}
