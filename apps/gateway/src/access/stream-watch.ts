import type { EchoMQError } from '@echomq/core';
import { type Credential, lapseOf } from './principal.js';
import { lapsed } from './refusals.js';

/** A stream whose credentials are looked after. */
export interface WatchedStream {
  readonly credential: Credential;
  /** Asks the peer to come again with fresh credentials; absent: nobody can be asked, it ends at once. */
  readonly askAway?: () => void;
  /** Ends it. */
  readonly end: (error: EchoMQError) => void;
}

/** How the watch is kept, ms. */
export interface WatchSpans {
  /** Between two looks. */
  readonly everyMs: number;
  /** From the word to the peer to the end. */
  readonly graceMs: number;
}

/**
 * Looks after the credentials of all open streams, with one timer for all, which runs only while there are some: whose
 * credentials have expired or were withdrawn is asked to come again, and after a grace ended.
 */
export class StreamWatch {
  /** When each was asked to leave. */
  readonly #streams = new Map<WatchedStream, number | undefined>();
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly spans: WatchSpans) {}

  /** Watches a stream. Returns the way to stop that. */
  add(stream: WatchedStream): () => void {
    this.#streams.set(stream, undefined);
    this.#timer ??= setInterval(() => this.look(), this.spans.everyMs);
    return () => this.#remove(stream);
  }

  /** Looks at all streams now. */
  look(nowMs = Date.now()): void {
    for (const [stream, askedAt] of [...this.#streams]) {
      const lapse = lapseOf(stream.credential, nowMs);
      // Rights that came back in time are no reason to end anything.
      if (lapse === undefined) continue;
      const over = askedAt !== undefined && nowMs - askedAt >= this.spans.graceMs;
      if (over || !stream.askAway) {
        this.#remove(stream);
        stream.end(lapsed(lapse));
      } else if (askedAt === undefined) {
        this.#streams.set(stream, nowMs);
        stream.askAway();
      }
    }
  }

  #remove(stream: WatchedStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
