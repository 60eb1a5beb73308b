import type { RedisArgument } from './redis-client.js';

/**
 * The arguments that a command begins with each time, and how they are written: for a script its SHA and the keys of a
 * queue. Whoever sends many such commands makes it once.
 */
export class CommandHead {
  #bytes: Buffer | undefined;
  #count = -1;

  constructor(
    readonly command: string,
    readonly args: readonly RedisArgument[],
  ) {}

  /** The beginning of the command, up to the end of these arguments, where it has `count` of them in all. */
  bytes(count: number): Buffer {
    if (this.#bytes && this.#count === count) return this.#bytes;
    let text = `*${count + 1}\r\n`;
    for (const part of [this.command, ...this.args]) {
      text += `$${Buffer.byteLength(String(part))}\r\n${part}\r\n`;
    }
    this.#bytes = Buffer.from(text);
    this.#count = count;
    return this.#bytes;
  }
}

/**
 * A command as it goes onto the wire.
 *
 * @param args all of them, those of the head first
 */
export function encodeCommand(head: CommandHead, args: readonly RedisArgument[]): Buffer {
  const first = head.bytes(args.length);
  // Texts that follow each other are written as one.
  const parts: (string | Uint8Array)[] = [];
  let text = '';
  let size = first.length;
  for (let at = head.args.length; at < args.length; at++) {
    const arg = args[at];
    if (arg instanceof Uint8Array) {
      text += `$${arg.length}\r\n`;
      parts.push(text, arg);
      size += arg.length;
      text = '\r\n';
    } else {
      const written = arg === undefined ? '' : String(arg);
      text += `$${Buffer.byteLength(written)}\r\n${written}\r\n`;
    }
  }
  parts.push(text);
  for (const part of parts) if (typeof part === 'string') size += Buffer.byteLength(part);
  return joined(first, parts, size);
}

function joined(first: Buffer, parts: readonly (string | Uint8Array)[], size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  bytes.set(first, 0);
  let at = first.length;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += bytes.write(part, at);
    } else {
      bytes.set(part, at);
      at += part.length;
    }
  }
  return bytes;
}
