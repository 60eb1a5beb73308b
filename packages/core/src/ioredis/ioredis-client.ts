import { setTimeout as sleep } from 'node:timers/promises';
import calculateSlot from 'cluster-key-slot';
import type { Cluster, Redis } from 'ioredis';
import type { CommandHead } from '../command-head.js';
import {
  type ChannelListener,
  type RedisArgument,
  type RedisClient,
  RedisLinkError,
  type RedisReply,
} from '../redis-client.js';
import { Deadlines } from './deadlines.js';
import { KnownCommand } from './known-command.js';
import { ScriptCommand } from './script-command.js';
import { Subscription } from './subscription.js';

/** How long a command waits for the first link to its node of a cluster, ms. */
const NODE_CONNECT_MS = 2_000;

/** A {@link RedisClient} over ioredis, for a single server (Sentinel included) or a cluster. */
export class IoredisClient implements RedisClient {
  readonly cluster: boolean;
  readonly #listeners = new Set<(ready: boolean) => void>();
  #ready = false;
  #problem: string | undefined;
  #closed = false;
  readonly #deadlines = new Deadlines();

  constructor(
    private readonly client: Redis | Cluster,
    private readonly again: () => Redis | Cluster,
  ) {
    this.cluster = client.isCluster;
    client.on('ready', () => this.#turn(true));
    for (const event of ['close', 'reconnecting', 'end']) client.on(event, () => this.#turn(false));
    // Each failed attempt to connect is an error event; callers see the state and their own rejections.
    client.on('error', (error: unknown) => {
      this.#problem = problemOf(error);
    });
    this.#ready = client.status === 'ready';
    if (client.status === 'wait') client.connect().catch(() => undefined);
  }

  send(command: string, args: readonly RedisArgument[], head?: CommandHead): Promise<RedisReply> {
    if (this.cluster) return this.#sendToCluster(command, args);
    if (!head || this.#closed) return this.#call(this.client, command, args);
    const call = new ScriptCommand(head, args, this.#deadlines);
    return this.client.sendCommand(call.sendable) as Promise<RedisReply>;
  }

  async #sendToCluster(command: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    const until = Date.now() + NODE_CONNECT_MS;
    for (;;) {
      try {
        return await this.#call(this.client, command, args);
      } catch (error) {
        // A cluster connects to a node at its first command and refuses all others until it has; and when it loses one
        // node it may drop what was on its way to another: that was not sent, and goes out now.
        const unsent = error instanceof RedisLinkError && !error.sent;
        const goesOn = this.client.status === 'ready' || this.#isConnecting();
        if (!unsent || Date.now() > until || this.#closed || !goesOn) throw error;
      }
      await sleep(5);
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

  get problem(): string | undefined {
    return this.#problem;
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

  subscribe(pattern: string, listener: ChannelListener): () => Promise<void> {
    const subscription = new Subscription(this.again(), pattern, listener);
    return async () => subscription.close();
  }

  async eachPrimary(command: string, args: readonly RedisArgument[]): Promise<RedisReply[]> {
    const nodes = this.client.isCluster
      ? (this.client as Cluster).nodes('master')
      : [this.client as Redis];
    return Promise.all(nodes.map((node) => this.#call(node, command, args)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.client.disconnect();
    this.#deadlines.close();
  }

  /** Whether a link to a node of the cluster is being made right now. */
  #isConnecting(): boolean {
    const nodes = (this.client as Cluster).nodes('all');
    return nodes.some(({ status }) => status === 'connecting' || status === 'connect');
  }

  async #call(
    client: Redis | Cluster,
    command: string,
    args: readonly RedisArgument[],
  ): Promise<RedisReply> {
    if (this.#closed) throw new RedisLinkError('the client is closed', false);
    const known = new KnownCommand(command, args);
    const answer = client.sendCommand(known) as Promise<RedisReply>;
    known.watch();
    try {
      return await answer;
    } catch (error) {
      throw known.failure(error);
    }
  }

  #turn(ready: boolean): void {
    if (this.#ready === ready) return;
    this.#ready = ready;
    if (ready) this.#problem = undefined;
    for (const listener of this.#listeners) listener(ready);
  }
}

/** Several addresses that all failed make an error without a message: then its code. */
function problemOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return message || code || String(error);
}
