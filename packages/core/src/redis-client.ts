import type { CommandHead } from './command-head.js';

/** What a command may be sent with. Bytes go out as they are; a number goes out in decimal. */
export type RedisArgument = string | number | Uint8Array;

/** A reply: bulk strings as bytes, integers as numbers, `null` for nil, arrays nested. */
export type RedisReply = Buffer | number | string | null | RedisReply[];

/** Why a client could not carry out a command. `sent` says whether the server may have seen it. */
export class RedisLinkError extends Error {
  override readonly name = 'RedisLinkError';

  constructor(
    message: string,
    /** False only when the command surely never left this process. */
    readonly sent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Who listens to what is published. */
export interface ChannelListener {
  /** Something was published. */
  onMessage(channel: string, message: string): void;
  /** It hears from now on; what was published before was missed. Again after each break. */
  onListening(): void;
  /** It may not listen, or the server could not be asked; told again at each attempt. */
  onFailure(error: unknown): void;
}

/**
 * The little that the core asks of a Redis client. `@echomq/core/ioredis` makes one; another client is an object with
 * these members. Rules: commands of one turn keep their order; a command is never sent twice on its own account; a
 * broken link rejects with {@link RedisLinkError}, an error reply with an `Error` that carries Redis's text.
 */
export interface RedisClient {
  /**
   * Sends one command. The first key decides the node in a cluster.
   *
   * @param head what the command and the first of its arguments are, prepared for the wire; a client need not use it
   */
  send(command: string, args: readonly RedisArgument[], head?: CommandHead): Promise<RedisReply>;
  /** Whether keys live in slots. */
  readonly cluster: boolean;
  /** Names the node that holds a key: one name for a single server. Scripts are cached per node. */
  nodeOf(key: string): string;
  /** Whether commands can be sent right now. */
  readonly ready: boolean;
  /** Why the last attempt to connect failed, in the words of the server or the system; for the log. */
  readonly problem?: string | undefined;
  /** Calls back at each change of {@link ready}. Returns the way to stop that. */
  onReadyChange(listener: (ready: boolean) => void): () => void;
  /** Resolves once ready; rejects when `signal` aborts first. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** A connection of its own with the same settings, for commands that block. It connects by itself. */
  duplicate(): RedisClient;
  /**
   * Listens to the channels that match a glob, on a connection of its own that connects by itself, again after each
   * break. Returns the way to stop. A client without it works: what would be heard is learnt a little later.
   */
  readonly subscribe?:
    | ((pattern: string, listener: ChannelListener) => () => Promise<void>)
    | undefined;
  /** Runs a command on every primary (one for a single server), for SCAN and the like. */
  eachPrimary(command: string, args: readonly RedisArgument[]): Promise<RedisReply[]>;
  /** Ends the connection and rejects what is under way. Never throws. */
  close(): Promise<void>;
}
