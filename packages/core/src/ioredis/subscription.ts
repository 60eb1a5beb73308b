import type { Cluster, Redis } from 'ioredis';
import type { ChannelListener } from '../redis-client.js';

/** Between two attempts to listen over a link that is up: the first, and the longest; ms. */
const AGAIN_MS = 200;
const MOST_MS = 30_000;

/** One pattern of channels over a connection that serves nothing else. */
export class Subscription {
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #againMs = AGAIN_MS;

  /** @param client not connected yet, or about to be. */
  constructor(
    private readonly client: Redis | Cluster,
    private readonly pattern: string,
    private readonly listener: ChannelListener,
  ) {
    client.on('error', () => undefined);
    client.on('pmessage', (_pattern: string, channel: string, message: string) => {
      if (!this.#closed) listener.onMessage(channel, message);
    });
    client.on('ready', () => void this.#listen());
    if (client.status === 'wait') client.connect().catch(() => undefined);
  }

  /** Hears nothing more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.client.disconnect();
  }

  async #listen(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.client.psubscribe(this.pattern);
      this.#againMs = AGAIN_MS;
      if (!this.#closed) this.listener.onListening();
    } catch (error) {
      if (this.#closed) return;
      this.listener.onFailure(error);
      // The next link begins anew; a cluster that has just come up may not have one to listen on.
      if (this.client.status === 'ready') {
        this.#timer = setTimeout(() => void this.#listen(), this.#againMs);
        this.#againMs = Math.min(2 * this.#againMs, MOST_MS);
      }
    }
  }
}
