import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisArgument, RedisClient, RedisReply } from '@echomq/core';

/** How much later than its own limit a blocking call's answer may come, ms. */
const GRACE_MS = 5_000;

/** A connection on which one command blocks at a time, and which can be called off. It connects when first used. */
export class BlockingConnection {
  #client: RedisClient | undefined;
  #clientId: number | undefined;
  #stopReady: (() => void) | undefined;
  /** The call under way, as an object of its own, so that an interruption never meets the next one. */
  #parked: object | undefined;

  /**
   * @param onConnect called after each new connection, before its first call: what happened in between was missed.
   */
  constructor(
    private readonly redis: RedisClient,
    private readonly onConnect: () => void = () => undefined,
  ) {}

  /**
   * Sends a command that blocks for at most `blockMs`. Resolves to `null` when it was called off.
   *
   * @throws what the client throws; the caller then drops the connection and tries again later.
   */
  async call(
    command: string,
    args: readonly RedisArgument[],
    blockMs: number,
    signal: AbortSignal,
  ): Promise<RedisReply> {
    // Interrupted while it connects, it must not block either: the arguments are old by then.
    const parked = {};
    this.#parked = parked;
    try {
      const client = await this.#connect(signal);
      return await within(client.send(command, args), blockMs + GRACE_MS);
    } finally {
      if (this.#parked === parked) this.#parked = undefined;
    }
  }

  /** Calls off the call under way. Asks until it has ended: the command may not have reached the server yet. */
  async interrupt(): Promise<void> {
    const parked = this.#parked;
    while (parked && this.#parked === parked && this.redis.ready) {
      if (this.#clientId !== undefined) {
        const reply = await this.redis
          .send('CLIENT', ['UNBLOCK', this.#clientId])
          .catch(() => undefined);
        if (reply === 1 || reply === undefined) return;
      }
      await sleep(1);
    }
  }

  /** Gives the connection up; the next call makes a new one. */
  async drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#clientId = undefined;
    this.#stopReady?.();
    await client?.close();
  }

  async #connect(signal: AbortSignal): Promise<RedisClient> {
    if (!this.#client) {
      this.#client = this.redis.duplicate();
      // A client that connected anew has another id, and has missed what came meanwhile.
      this.#stopReady = this.#client.onReadyChange((ready) => {
        if (!ready) this.#clientId = undefined;
      });
    }
    await this.#client.whenReady(signal);
    if (this.#clientId === undefined) {
      this.#clientId = Number(await within(this.#client.send('CLIENT', ['ID']), GRACE_MS));
      this.onConnect();
    }
    return this.#client;
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
