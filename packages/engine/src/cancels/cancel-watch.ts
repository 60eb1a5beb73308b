import type { RedisClient } from '@echomq/core';
import type { Clock, EngineLogger } from '../ports.js';
import { globEscape } from '../services/queue/scan-keys.js';

/** How long the connection outlives the last who listened, ms. */
const LINGER_MS = 30_000;

/** What a cancel watch works with. */
export interface CancelWatchPorts {
  readonly redis: Pick<RedisClient, 'subscribe'>;
  /** What every key begins with. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly logger: EngineLogger;
  /** Somebody asked to cancel a job of this queue, by what its keys begin with, or has ended it by force. */
  readonly onRequest: (base: string, jobId: string) => void;
  /** It hears from now on: what was published before was missed. */
  readonly onListening: () => void;
}

/**
 * Hears of requests to cancel jobs while somebody here holds some, over one connection for all queues. What it misses
 * is learnt with the next renewal.
 */
export class CancelWatch {
  #listeners = 0;
  #stop: (() => Promise<void>) | undefined;
  #linger: unknown;
  #warned = false;
  #closed = false;

  constructor(private readonly ports: CancelWatchPorts) {}

  /** Listens until what it returns is called. */
  listen(): () => void {
    this.#listeners++;
    this.ports.clock.clearTimeout(this.#linger);
    if (!this.#closed) this.#stop ??= this.#subscribe();
    let listening = true;
    return () => {
      if (!listening) return;
      listening = false;
      if (--this.#listeners > 0 || this.#closed) return;
      this.#linger = this.ports.clock.setTimeout(() => void this.#end(), LINGER_MS);
    };
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    this.ports.clock.clearTimeout(this.#linger);
    const stop = this.#stop;
    this.#stop = undefined;
    await stop?.();
  }

  #subscribe(): (() => Promise<void>) | undefined {
    const head = `${this.ports.prefix}:`;
    const tail = 'meta:cancel';
    return this.ports.redis.subscribe?.(`${globEscape(head)}*:${tail}`, {
      onMessage: (channel, jobId) => this.ports.onRequest(channel.slice(0, -tail.length), jobId),
      onListening: this.ports.onListening,
      onFailure: (error) => {
        if (!this.#warned) this.ports.logger.warn('cancel.deaf', { error: String(error) });
        this.#warned = true;
      },
    });
  }
}
