import type { Writable } from 'node:stream';

/** Bytes that may wait on a stream before it counts as full. */
const BOUND_BYTES = 262_144;
/** Messages that may wait, however small: as many as grpc-js's own high-water mark. */
const BOUND_MESSAGES = 16;

/** What piles up all the same, at most: more means that the peer does not read. */
const MOST_BYTES = 16_777_216;
const MOST_MESSAGES = 20_000;

/**
 * What waits to leave on one stream. grpc-js takes every write and piles it up without end, and its high-water mark
 * counts messages of any size; this counts their bytes, so that a producer that asks {@link writable} first is bounded.
 */
export class Outbox {
  readonly #listeners = new Set<() => void>();
  /** Who waits for room: the end is told to them too. */
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  #messages = 0;
  /** Messages that the peer has taken. */
  #taken = 0;
  #closed = false;
  #unread: NodeJS.Timeout | undefined;

  /** @param unread called once when the stream has been full for so many ms and its peer has taken nothing. */
  constructor(
    private readonly stream: Writable,
    private readonly unread: { readonly afterMs: number; readonly end: () => void },
  ) {
    stream.once('close', () => this.close());
  }

  /** Whether there is room: the peer reads, or has a little to catch up on. */
  get writable(): boolean {
    return !this.#closed && this.#bytes < BOUND_BYTES && this.#messages < BOUND_MESSAGES;
  }

  /** Whether more has piled up than any peer that reads lets happen. */
  get overflows(): boolean {
    return this.#bytes > MOST_BYTES || this.#messages > MOST_MESSAGES;
  }

  /** Hands a message over, room or none. False: there is no room for more now. */
  send(message: Uint8Array): boolean {
    if (this.#closed || this.stream.destroyed || this.stream.writableEnded) return false;
    this.#bytes += message.byteLength;
    this.#messages += 1;
    this.stream.write(message, () => this.#left(message.byteLength));
    if (!this.writable) this.#watch();
    return this.writable;
  }

  /** Calls back each time that {@link writable} turns true. Returns the way to stop that. */
  onWritable(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once there is room, or the stream has closed. */
  async room(): Promise<void> {
    if (this.writable || this.#closed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        stop();
        this.#waiting.delete(done);
        resolve();
      };
      const stop = this.onWritable(done);
      this.#waiting.add(done);
    });
  }

  /** Nothing leaves any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#unread);
    for (const done of [...this.#waiting]) done();
    this.#listeners.clear();
  }

  /** Looks again and again whether the peer takes anything, until there is room. */
  #watch(): void {
    if (this.#unread) return;
    const before = this.#taken;
    this.#unread = setTimeout(() => {
      // What has left while this process stood still is told first.
      setImmediate(() => {
        this.#unread = undefined;
        if (this.writable || this.#closed) return;
        if (this.#taken === before) this.unread.end();
        else this.#watch();
      });
    }, this.unread.afterMs);
    this.#unread.unref();
  }

  #left(bytes: number): void {
    const full = !this.writable;
    this.#bytes -= bytes;
    this.#messages -= 1;
    this.#taken += 1;
    if (!full || !this.writable) return;
    clearTimeout(this.#unread);
    this.#unread = undefined;
    for (const listener of [...this.#listeners]) listener();
  }
}
