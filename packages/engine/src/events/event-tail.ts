import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient, Store } from '@echomq/core';
import type { EngineLogger } from '../ports.js';
import { BlockingConnection } from '../wakeups/blocking-connection.js';
import { lastEventId } from './event-log.js';
import { entriesOf, type StreamEntry } from './stream-entry.js';

/** Told of new entries, in order. They may be told again to one who has seen them: compare ids. */
export type TailListener = (entries: readonly StreamEntry[]) => void;

const BLOCK_MS = 5_000;
const MAX_ENTRIES = 1_000;

/**
 * Follows the ends of many event streams on one blocking connection (in a cluster one each): one XREAD for all who
 * wait in this process.
 */
export class EventTail {
  readonly #readers = new Map<string, TailReader>();
  readonly #shared: TailReader | undefined;

  constructor(private readonly ports: TailPorts) {
    this.#shared = ports.redis.cluster ? undefined : new TailReader(ports);
  }

  /** Tells of every entry appended from now on. Resolves once nothing can be missed; returns the way to stop. */
  async follow(key: string, listener: TailListener): Promise<() => void> {
    let reader = this.#shared ?? this.#readers.get(key);
    if (!reader) {
      reader = new TailReader(this.ports);
      this.#readers.set(key, reader);
    }
    const stop = await reader.follow(key, listener);
    return () => {
      stop();
      if (reader === this.#shared || reader.size > 0) return;
      this.#readers.delete(key);
      void reader.close();
    };
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#shared, ...this.#readers.values()].map((reader) => reader?.close()));
  }
}

/** What a tail works with. */
export interface TailPorts {
  readonly redis: RedisClient;
  readonly store: Store;
  readonly logger: EngineLogger;
}

interface Followed {
  position: string;
  readonly listeners: Set<TailListener>;
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

  get size(): number {
    return this.#streams.size;
  }

  async follow(key: string, listener: TailListener): Promise<() => void> {
    let stream = this.#streams.get(key);
    if (!stream) {
      const position = await lastEventId(this.ports.store, key);
      stream = this.#streams.get(key) ?? { position, listeners: new Set() };
      this.#streams.set(key, stream);
      this.#running ??= this.#loop();
      void this.#connection.interrupt();
    }
    const { listeners } = stream;
    listeners.add(listener);
    this.#joined?.();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#streams.get(key)?.listeners === listeners) {
        this.#streams.delete(key);
      }
    };
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
        await this.#read();
        failures = 0;
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

  async #read(): Promise<void> {
    const keys = [...this.#streams.keys()];
    const positions = keys.map((key) => this.#streams.get(key)?.position ?? '$');
    const args = ['COUNT', MAX_ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS', ...keys, ...positions];
    const reply = await this.#connection.call('XREAD', args, BLOCK_MS, this.#stop.signal);
    if (!Array.isArray(reply)) return;
    for (const row of reply) {
      const [key, rows] = row as [Buffer, never];
      this.#tell(String(key), entriesOf(rows));
    }
  }

  #tell(key: string, entries: readonly StreamEntry[]): void {
    const stream = this.#streams.get(key);
    const last = entries.at(-1);
    if (!stream || !last) return;
    stream.position = last.id;
    for (const listener of [...stream.listeners]) listener(entries);
  }
}
