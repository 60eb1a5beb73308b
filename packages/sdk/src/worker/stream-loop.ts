import type * as pb from '@echomq/proto/messages';
import { type EchoMQError, errorOf } from '../errors.js';
import { fullJitter } from '../transport/backoff.js';
import type { Transport } from '../transport/transport.js';
import { OpenStream } from './open-stream.js';

/** What the loop asks of the session, and tells it. */
export interface StreamLoopEvents {
  /** The first message of a new stream. */
  openMessage(): pb.WorkOpen;
  /** A new stream is the live one. Returns after how many ms of silence it counts as dead. */
  onOpened(opened: pb.WorkOpened): number;
  /** A message on the live stream. */
  onMessage(message: pb.WorkResponse): void;
  /** The live stream is gone. Absent: in good order. */
  onDown(error: EchoMQError | undefined): void;
  /** A stream did not come about; the loop tries again. */
  onFailed(error: EchoMQError): void;
  /** The server wants no more of this session: the next stream must begin a new one. */
  onSessionOver(): void;
}

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** A stream that was up for so long was a good one. */
const GOOD_MS = 5_000;

/**
 * Keeps a Work stream up: whatever ends it, but {@link stop}, leads to a new one after a random wait that grows from
 * 100 ms to 10 s. At most two streams exist: the live one and, when the server asked for a change, the one that is to
 * follow it.
 */
export class StreamLoop {
  readonly #transport: Transport;
  readonly #events: StreamLoopEvents;
  #live: OpenStream | undefined;
  #next: OpenStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #fresh = false;
  #stopped = false;

  constructor(transport: Transport, events: StreamLoopEvents) {
    this.#transport = transport;
    this.#events = events;
  }

  /** Whether no stream will ever be up again: it was stopped, or its connection is closed. */
  get over(): boolean {
    return this.#stopped;
  }

  /** The stream that is up. */
  get live(): OpenStream | undefined {
    return this.#live;
  }

  /** Opens a stream unless one is on its way. `fresh`: over a new connection; the live one stays until it is up. */
  connect({ fresh = false }: { readonly fresh?: boolean } = {}): void {
    this.#fresh ||= fresh;
    if (this.#stopped || this.#next !== undefined || this.#timer !== undefined) return;
    const options = { fresh: this.#fresh, events: this.#eventsOf(() => stream) };
    this.#fresh = false;
    const stream: OpenStream = new OpenStream(
      this.#transport,
      () => this.#events.openMessage(),
      options,
    );
    this.#next = stream;
  }

  /** The live stream has been of use: when it breaks, the next one is tried soon. */
  noteUse(): void {
    this.#failures = 0;
  }

  /** Breaks the live stream off for a new one at once, which takes over what is held. */
  renew(): void {
    const old = this.#live;
    if (old === undefined) return;
    old.cancel();
    this.#live = undefined;
    this.#events.onDown(undefined);
    this.connect();
  }

  /** Breaks everything off, for good. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#next?.cancel();
    this.#live?.cancel();
    this.#next = undefined;
    this.#live = undefined;
  }

  #eventsOf(self: () => OpenStream) {
    return {
      onOpened: (opened: pb.WorkOpened) => {
        this.#live?.cancel();
        this.#live = self();
        this.#next = undefined;
        return this.#events.onOpened(opened);
      },
      onMessage: (message: pb.WorkResponse) => {
        if (self() === this.#live) this.#events.onMessage(message);
      },
      onEnd: (error: EchoMQError | undefined) => {
        if (self() === this.#live) this.#down(error);
        else if (self() === this.#next) this.#failed(error ?? endedEarly());
      },
    };
  }

  #down(error: EchoMQError | undefined): void {
    const upMs = performance.now() - (this.#live?.openedAt ?? 0);
    // A server that takes streams and drops them again is not asked in a tight circle.
    this.#failures = upMs > GOOD_MS ? 1 : this.#failures + 1;
    this.#live = undefined;
    if (this.#next === undefined && isSessionOver(error)) this.#events.onSessionOver();
    if (isClosed(error)) this.#stopped = true;
    this.#events.onDown(error);
    this.#again(error);
  }

  #failed(error: EchoMQError): void {
    this.#failures += 1;
    this.#next = undefined;
    if (isSessionOver(error)) this.#events.onSessionOver();
    if (isClosed(error)) this.#stopped = true;
    this.#events.onFailed(error);
    this.#again(error);
  }

  #again(error: EchoMQError | undefined): void {
    // Another connection may lead to another gateway.
    this.#fresh ||= error?.reason === 'GATEWAY_DRAINING';
    if (this.#stopped || this.#next !== undefined || this.#timer !== undefined) return;
    const waitMs = Math.max(
      fullJitter(this.#failures, FIRST_BACKOFF_MS, MAX_BACKOFF_MS),
      Math.min(error?.retryAfterMs ?? 0, MAX_BACKOFF_MS),
    );
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.connect();
    }, waitMs);
  }
}

function isSessionOver(error: EchoMQError | undefined): boolean {
  return error?.reason === 'WORKER_UNRESPONSIVE' || error?.reason === 'SESSION_SUPERSEDED';
}

/** The connection was closed on this side: nothing comes back. */
function isClosed(error: EchoMQError | undefined): boolean {
  return error?.reason === 'CONNECTION_CLOSED';
}

function endedEarly(): EchoMQError {
  return errorOf('the gateway ended the stream before it had answered', {
    code: 'UNAVAILABLE',
    reason: '',
    retryable: true,
  });
}
