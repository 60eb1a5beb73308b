import { setTimeout as sleep } from 'node:timers/promises';
import calculateSlot from 'cluster-key-slot';
import type { Cluster, Redis } from 'ioredis';
import {
  type RedisArgument,
  type RedisClient,
  RedisLinkError,
  type RedisReply,
} from '../redis-client.js';

/** Texts with which ioredis refuses a command that it has not written. */
const NOT_WRITTEN =
  /isn't writeable|enableOfflineQueue|None of startup nodes|Cluster isn't ready|all nodes failed|ECONNREFUSED|ENOTFOUND|getaddrinfo/i;

/** An error reply begins with its word in capitals, as in `ERR` or `WRONGTYPE`. */
const ERROR_REPLY = /^[A-Z]{3,}\b/;

/** A {@link RedisClient} over ioredis, for a single server (Sentinel included) or a cluster. */
export class IoredisClient implements RedisClient {
  readonly cluster: boolean;
  readonly #listeners = new Set<(ready: boolean) => void>();
  #ready = false;
  #closed = false;

  constructor(
    private readonly client: Redis | Cluster,
    private readonly again: () => Redis | Cluster,
  ) {
    this.cluster = client.isCluster;
    client.on('ready', () => this.#turn(true));
    for (const event of ['close', 'reconnecting', 'end']) client.on(event, () => this.#turn(false));
    // Each failed attempt to connect is an error event; callers see the state and their own rejections.
    client.on('error', () => undefined);
    this.#ready = client.status === 'ready';
    if (client.status === 'wait') client.connect().catch(() => undefined);
  }

  async send(command: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    try {
      return (await this.client.callBuffer(
        command,
        args as (string | number | Buffer)[],
      )) as RedisReply;
    } catch (error) {
      throw asLinkError(error);
    }
  }

  nodeOf(key: string): string {
    if (!this.client.isCluster) return 'single';
    const slots = (this.client as Cluster & { slots: readonly (readonly string[] | undefined)[] })
      .slots;
    return slots[calculateSlot(key)]?.[0] ?? 'unknown';
  }

  get ready(): boolean {
    return this.#ready;
  }

  onReadyChange(listener: (ready: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async whenReady(signal?: AbortSignal): Promise<void> {
    while (!this.#ready) {
      if (this.#closed) throw new RedisLinkError('the client is closed', false);
      await sleep(20, undefined, signal ? { signal } : {});
    }
  }

  duplicate(): RedisClient {
    return new IoredisClient(this.again(), this.again);
  }

  async eachPrimary(command: string, args: readonly RedisArgument[]): Promise<RedisReply[]> {
    const nodes = this.client.isCluster
      ? (this.client as Cluster).nodes('master')
      : [this.client as Redis];
    try {
      return (await Promise.all(
        nodes.map((node) => node.callBuffer(command, args as (string | number | Buffer)[])),
      )) as RedisReply[];
    } catch (error) {
      throw asLinkError(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.client.disconnect();
  }

  #turn(ready: boolean): void {
    if (this.#ready === ready) return;
    this.#ready = ready;
    for (const listener of this.#listeners) listener(ready);
  }
}

/** Tells a broken link from an error reply. */
function asLinkError(error: unknown): unknown {
  if (!(error instanceof Error)) return new RedisLinkError(String(error), true, error);
  if (NOT_WRITTEN.test(error.message)) return new RedisLinkError(error.message, false, error);
  if (error.name === 'ReplyError' || ERROR_REPLY.test(error.message)) return error;
  return new RedisLinkError(error.message, true, error);
}
