import {
  type CommandHead,
  type RedisArgument,
  type RedisClient,
  RedisLinkError,
  type RedisReply,
} from '@echomq/core';

/** What came of a command. */
export type CommandResult = 'ok' | 'link' | 'refused' | 'error';

/** Error replies of a server that can be reached and does no work. */
const REFUSED = /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|BUSY|NOAUTH)\b/;

/** A client that tells how its commands go. */
export class WatchedRedis implements RedisClient {
  // Made once, for they are needed with every command.
  readonly #answered: (reply: RedisReply) => RedisReply;
  readonly #failed: (error: unknown) => never;

  constructor(
    private readonly client: RedisClient,
    onResult: (result: CommandResult) => void,
  ) {
    this.#answered = (reply) => {
      onResult('ok');
      return reply;
    };
    this.#failed = (error) => {
      onResult(resultOf(error));
      throw error;
    };
  }

  get cluster(): boolean {
    return this.client.cluster;
  }

  get ready(): boolean {
    return this.client.ready;
  }

  get problem(): string | undefined {
    return this.client.problem;
  }

  send(command: string, args: readonly RedisArgument[], head?: CommandHead): Promise<RedisReply> {
    return this.client.send(command, args, head).then(this.#answered, this.#failed);
  }

  nodeOf(key: string): string {
    return this.client.nodeOf(key);
  }

  onReadyChange(listener: (ready: boolean) => void): () => void {
    return this.client.onReadyChange(listener);
  }

  whenReady(signal?: AbortSignal): Promise<void> {
    return this.client.whenReady(signal);
  }

  /** Not watched: a command that blocks says nothing by being late. */
  duplicate(): RedisClient {
    return this.client.duplicate();
  }

  get subscribe(): RedisClient['subscribe'] {
    return this.client.subscribe?.bind(this.client);
  }

  eachPrimary(command: string, args: readonly RedisArgument[]): Promise<RedisReply[]> {
    return this.client.eachPrimary(command, args);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function resultOf(error: unknown): CommandResult {
  if (error instanceof RedisLinkError) return 'link';
  return error instanceof Error && REFUSED.test(error.message) ? 'refused' : 'error';
}
