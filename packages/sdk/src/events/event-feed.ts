import { setTimeout as sleep } from 'node:timers/promises';
import * as pb from '@echomq/proto/messages';
import { AccessDenied, EchoMQError, errorOf, InvalidRequest, NotSupported } from '../errors.js';
import { fullJitter } from '../transport/backoff.js';
import type { Transport } from '../transport/transport.js';
import { type EventStart, encodeStart } from './event-start.js';
import type { EventsGap } from './queue-event.js';
import { untilSilent } from './until-silent.js';

/** What is subscribed to. */
export type Subscription = Pick<
  pb.SubscribeRequest,
  'queue' | 'types' | 'jobIds' | 'includePayloads'
>;

/** What a feed tells. */
export type FeedItem =
  /** The subscription stands: events after this follow. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'event'; readonly event: pb.Event }
  | { readonly kind: 'gap'; readonly gap: EventsGap }
  /** The subscription that stood is gone; absent: in good order. The feed tries again. */
  | { readonly kind: 'lost'; readonly error: EchoMQError | undefined }
  /** It did not come about; told at the first failure of an outage. The feed tries again. */
  | { readonly kind: 'failed'; readonly error: EchoMQError };

/** The server is asked to say something so often, in ms. */
const KEEPALIVE_MS = 15_000;
/** A stream that says nothing for so long is dead. */
const SILENCE_MS = 3 * KEEPALIVE_MS;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/**
 * The events of a queue over any number of subscriptions: when one ends the next goes on after the last event that was
 * taken, so that each event is told at least once. Only one batch is held here, and the next is asked for when that is
 * taken.
 */
export class EventFeed {
  readonly #transport: Transport;
  readonly #subscription: Subscription;
  #position: ReturnType<typeof encodeStart>;
  #failures = 0;
  #opened = false;
  #everOpened = false;
  /** Whether it was told that nothing comes. */
  #down = false;

  /** @throws InvalidRequest naming `start` */
  constructor(transport: Transport, subscription: Subscription, start: EventStart) {
    this.#transport = transport;
    this.#subscription = subscription;
    this.#position = encodeStart(start);
  }

  /** The id after which the feed goes on; empty before the first subscription. */
  get cursor(): string {
    return this.#position.resumeAfter;
  }

  /**
   * The feed, until `signal` aborts or the connection is closed.
   *
   * @throws InvalidRequest, NotSupported, and AccessDenied to the first subscription: what does not pass by itself
   */
  async *items(signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined> {
    while (!signal.aborted) {
      this.#opened = false;
      let error: EchoMQError | undefined;
      try {
        yield* this.#subscribe(signal);
      } catch (thrown) {
        error = thrown instanceof EchoMQError ? thrown : internal(thrown);
      }
      if (signal.aborted || error?.reason === 'CONNECTION_CLOSED') return;
      if (error?.reason === 'EVENT_CURSOR_TRIMMED') yield this.#trimmed(error);
      else if (this.#opened) yield { kind: 'lost', error };
      else if (error !== undefined && isHopeless(error, this.#everOpened)) throw error;
      else if (!this.#down) yield this.#failed(error ?? endedEarly());
      await this.#pause(error, signal);
    }
  }

  async *#subscribe(signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined> {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const request = { ...this.#subscription, ...this.#position, ...TERMS };
      const { signal: ended } = attempt;
      const messages = this.#transport.serverStream('event', 'subscribe', request, ended);
      for await (const { message } of untilSilent(messages, SILENCE_MS, abort)) {
        if (message !== undefined) yield* this.#take(message);
      }
    } catch (error) {
      throw attempt.signal.aborted && !signal.aborted ? silent(error) : error;
    } finally {
      signal.removeEventListener('abort', abort);
      attempt.abort();
    }
  }

  *#take(message: NonNullable<pb.SubscribeResponse['message']>): Generator<FeedItem> {
    // What comes after the opening shows that the server means it.
    if (message.$case !== 'opened') this.#failures = 0;
    switch (message.$case) {
      case 'opened':
        this.#opened = true;
        this.#everOpened = true;
        this.#down = false;
        this.#seen(message.value.cursor);
        yield { kind: 'opened' };
        break;
      case 'batch':
        for (const event of message.value.events) {
          this.#seen(event.id);
          yield { kind: 'event', event };
        }
        break;
      case 'keepalive':
        this.#seen(message.value.cursor);
        break;
      case 'gap': {
        const { lastSent: lastSeen, firstKept } = message.value;
        yield { kind: 'gap', gap: { lastSeen, firstKept } };
        break;
      }
    }
  }

  #seen(id: string): void {
    this.#position = { start: pb.EventStart.UNSPECIFIED, resumeAfter: id };
  }

  #failed(error: EchoMQError): FeedItem {
    this.#down = true;
    return { kind: 'failed', error };
  }

  #trimmed({ metadata }: EchoMQError): FeedItem {
    const gap = { lastSeen: this.cursor, firstKept: metadata.oldestId ?? '' };
    this.#position = encodeStart('oldest');
    return { kind: 'gap', gap };
  }

  async #pause(error: EchoMQError | undefined, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    const asked = Math.min(error?.retryAfterMs ?? 0, MAX_BACKOFF_MS);
    const waitMs = Math.max(fullJitter(this.#failures, FIRST_BACKOFF_MS, MAX_BACKOFF_MS), asked);
    // An abort ends the pause, and the feed with it.
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

const TERMS = { maxBatch: 0, minKeepalive: pb.msToDuration(KEEPALIVE_MS) };

/** Credentials may be renewed once they have been good. */
function isHopeless(error: EchoMQError, wasGood: boolean): boolean {
  if (error instanceof InvalidRequest || error instanceof NotSupported) return true;
  return error instanceof AccessDenied && !error.retryable && !wasGood;
}

function endedEarly(): EchoMQError {
  return errorOf('the gateway ended the stream before it had answered', {
    code: 'UNAVAILABLE',
    reason: '',
    retryable: true,
  });
}

function silent(cause: unknown): EchoMQError {
  const message = `the gateway said nothing for ${SILENCE_MS} ms`;
  return errorOf(message, { code: 'UNAVAILABLE', reason: '', retryable: true, cause });
}

function internal(cause: unknown): EchoMQError {
  return errorOf('the stream of events failed', { code: 'INTERNAL', reason: '', cause });
}
