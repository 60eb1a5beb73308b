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
  #bytes = 0;
  #messages = 0;
  #closed = false;

  constructor(private readonly stream: Writable) {
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
        this.stream.off('close', done);
        resolve();
      };
      const stop = this.onWritable(done);
      this.stream.once('close', done);
    });
  }

  /** Nothing leaves any more. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
  }

  #left(bytes: number): void {
    const full = !this.writable;
    this.#bytes -= bytes;
    this.#messages -= 1;
    if (!full || !this.writable) return;
    for (const listener of [...this.#listeners]) listener();
  }
}
