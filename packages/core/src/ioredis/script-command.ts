import type { Command } from 'ioredis';
import { type CommandHead, encodeCommand } from '../command-head.js';
import type { RedisArgument, RedisReply } from '../redis-client.js';
import { Deadline, type Deadlines } from './deadlines.js';
import { linkFailure } from './known-command.js';

/**
 * A call of a script for a single server, with what ioredis asks of a command and no more. Its `Command` copies the
 * arguments, makes four closures and a timer for each, and looks at every argument three times to write it: more than the
 * rest of a call costs. Anything but a script's call goes as a {@link KnownCommand}.
 */
export class ScriptCommand extends Deadline {
  readonly name: string;
  readonly promise: Promise<RedisReply>;
  at = 0;
  // What ioredis sets or asks.
  isTraced = false;
  isSettled = false;
  inTransaction = false;
  pipelineIndex: number | undefined = undefined;
  /** It went onto the wire. */
  #written = false;
  #resolve: (reply: RedisReply) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor(
    private readonly head: CommandHead,
    readonly args: readonly RedisArgument[],
    private readonly deadlines: Deadlines,
  ) {
    super();
    // Lower case: ioredis looks it up three times, in lower case.
    this.name = head.command.toLowerCase();
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** It, for ioredis, whose type has private members. */
  get sendable(): Command {
    return this as unknown as Command;
  }

  setReplyContext(): void {}

  /** How long ioredis waits for the answer. */
  setTimeout(ms: number): void {
    this.at = performance.now() + ms;
    this.deadlines.add(ms, this);
  }

  late(): void {
    this.reject(new Error('Command timed out'));
  }

  toWritable(): Buffer {
    this.#written = true;
    return encodeCommand(this.head, this.args);
  }

  resolve(reply: RedisReply): void {
    this.deadlines.forget(this);
    this.isSettled = true;
    this.#resolve(reply);
  }

  reject(error: unknown): void {
    this.deadlines.forget(this);
    this.isSettled = true;
    this.#reject(linkFailure(error, this.#written));
  }
}

function ignore(): void {}
