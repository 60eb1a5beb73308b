import { Command } from 'ioredis';
import { type RedisArgument, RedisLinkError } from '../redis-client.js';

/** An error reply begins with its word in capitals, as in `ERR` or `WRONGTYPE`. */
const ERROR_REPLY = /^[A-Z]{3,}\b/;

/** A command that knows whether a server may have carried it out. */
export class KnownCommand extends Command {
  /** It went onto a wire, and nobody has refused it since. */
  #written = false;

  constructor(name: string, args: readonly RedisArgument[]) {
    super(name, args as (string | number | Buffer)[], { replyEncoding: null });
  }

  override toWritable(socket: object): string | Buffer {
    this.#written = true;
    return super.toWritable(socket);
  }

  /**
   * To be called once the client has it: a cluster puts its own `reject` in the command's place. A node that answers
   * with an error (`MOVED`, say) has done nothing, and the way to the next node begins anew.
   */
  watch(): void {
    const reject = this.reject;
    this.reject = (error) => {
      if (isErrorReply(error)) this.#written = false;
      reject.call(this, error);
    };
  }

  /** See {@link linkFailure}. */
  failure(error: unknown): unknown {
    return linkFailure(error, this.#written);
  }
}

/**
 * Tells a broken link from an error reply.
 *
 * @param written whether the command went onto a wire
 */
export function linkFailure(error: unknown, written: boolean): unknown {
  if (!(error instanceof Error)) return new RedisLinkError(String(error), true, error);
  if (isErrorReply(error)) return error;
  // What waits for a node to connect is still sent after its time was up.
  const sent = written || error.message.includes('timed out');
  return new RedisLinkError(error.message, sent, error);
}

function isErrorReply(error: Error): boolean {
  return error.name === 'ReplyError' || ERROR_REPLY.test(error.message);
}
