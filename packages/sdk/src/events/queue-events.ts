import type * as pb from '@echomq/proto/messages';
import { type Connection, connectionOf } from '../connection.js';
import { type EchoMQError, errorOf } from '../errors.js';
import { decodeJson } from '../payload/decode.js';
import { textOf } from '../payload/text.js';
import { checkQueueName } from '../queue/queue-name.js';
import { Waiters } from '../worker/waiters.js';
import { decodeEvent, enveloped } from './decode-event.js';
import { EventFeed, type FeedItem, type Subscription } from './event-feed.js';
import type { EventStart } from './event-start.js';
import { encodeEventTypes } from './event-types.js';
import type { QueueEvent } from './queue-event.js';
import type { QueueEventsEvents, QueueEventsOptions } from './queue-events-options.js';
import { SafeEmitter } from './safe-emitter.js';

/**
 * Tells what happens in a queue, whoever makes it happen: each event at least once, in order. It reconnects by itself
 * and goes on after the last event that it told.
 *
 * @example
 * const queueEvents = new QueueEvents('mails', { connection });
 * queueEvents.on('completed', ({ jobId, returnvalue }) => console.log(jobId, returnvalue));
 * queueEvents.on('failed', ({ jobId, failedReason }) => console.error(jobId, failedReason));
 */
export class QueueEvents<Result = unknown>
  extends SafeEmitter<QueueEventsEvents<Result>>
  implements AsyncDisposable
{
  /** The queue. */
  readonly name: string;
  /** The connection that it was given. */
  readonly connection: Connection;
  readonly #subscription: Subscription;
  readonly #start: EventStart;
  readonly #feed: EventFeed;
  readonly #closing = new AbortController();
  readonly #changed = new Waiters();
  readonly #forget: () => void;
  #running: Promise<void> | undefined;
  #ready = false;
  /** Why nothing will ever come. */
  #end: EchoMQError | undefined;

  /** @throws InvalidRequest naming the option that cannot be used */
  constructor(name: string, options: QueueEventsOptions) {
    super();
    checkQueueName(name);
    const connection = connectionOf(options);
    const { start = 'now', includePayloads = true, autorun = true } = options;
    this.name = name;
    this.connection = connection;
    this.#start = start;
    this.#subscription = {
      queue: name,
      types: encodeEventTypes(options.types ?? []),
      jobIds: (options.jobIds ?? []).map((id, index) => textOf(id, `jobIds[${index}]`)),
      includePayloads,
    };
    this.#feed = this.#newFeed(start);
    this.#forget = connection.hold(this);
    // Listeners that are added in the same turn hear everything.
    if (autorun) queueMicrotask(() => this.run());
  }

  /** Begins, if `autorun` was false. More calls do nothing. */
  run(): void {
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run();
  }

  /**
   * Resolves when the subscription stands: what happens from now on is told.
   *
   * @throws AccessDenied, InvalidRequest, NotSupported where it never will; an error of code CANCELLED once it is closed
   */
  async waitUntilReady(): Promise<void> {
    await this.#changed.until(() => this.#ready || this.#end !== undefined, Infinity);
    if (this.#end !== undefined) throw this.#end;
  }

  /**
   * The events as a stream of their own, told apart by `event`; `gap` is one of them. The next one is read when the last
   * one was taken, so that a slow reader fills no memory; one that falls behind the trimming gets a `gap`. It ends when
   * this is closed.
   *
   * @param options where to begin; by default after the last event that this has told, or where that has not begun, as
   *   its own option says, with the first step of the loop
   * @throws InvalidRequest naming `start`; as the loop goes AccessDenied, NotSupported
   * @example for await (const event of queueEvents.events()) if (event.event === 'completed') …
   */
  events({
    start,
  }: {
    readonly start?: EventStart;
  } = {}): AsyncGenerator<QueueEvent<Result>, void> {
    return this.#iterate(this.#newFeed(start ?? (this.#feed.cursor || this.#start)));
  }

  /** Ends it. Never rejects; more calls wait for the first. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#ended(closed());
    await this.#running;
    this.#forget();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(): Promise<void> {
    try {
      for await (const item of this.#feed.items(this.#closing.signal)) this.#tellItem(item);
      this.#ended(closed());
    } catch (error) {
      this.#ended(error as EchoMQError);
      this.tell('error', error as EchoMQError);
    }
  }

  #tellItem(item: FeedItem): void {
    // What a listener has just closed says nothing more.
    if (this.#closing.signal.aborted) return;
    switch (item.kind) {
      case 'opened':
        this.#ready = true;
        this.#changed.tell();
        this.tell('ready');
        break;
      case 'event':
        this.#tellEvent(item.event);
        break;
      case 'gap':
        this.tell('gap', item.gap);
        break;
      case 'lost':
        this.#ready = false;
        this.tell('disconnected', item.error);
        break;
      case 'failed':
        this.tell('error', item.error);
        break;
    }
  }

  #tellEvent(event: pb.Event): void {
    const { name, args } = decodeEvent(event, this.#json);
    if (name === 'drained') this.tell('drained', event.id);
    else this.tell(name, ...([args, event.id] as never));
  }

  async *#iterate(feed: EventFeed): AsyncGenerator<QueueEvent<Result>, void> {
    for await (const item of feed.items(this.#closing.signal)) {
      if (item.kind === 'event') yield enveloped<Result>(item.event, this.#json);
      else if (item.kind === 'gap') yield { event: 'gap', ...item.gap };
      else if (item.kind === 'failed') this.tell('error', item.error);
    }
  }

  /** A foreign writer's text that is no JSON must not end the stream. */
  readonly #json = (bytes: Buffer, field: string): unknown => {
    try {
      return decodeJson(bytes, field);
    } catch (error) {
      this.tell('error', error as EchoMQError);
      return undefined;
    }
  };

  #newFeed(start: EventStart): EventFeed {
    return new EventFeed(this.connection.transport, this.#subscription, start);
  }

  #ended(error: EchoMQError): void {
    this.#end ??= error;
    this.#changed.tell();
  }
}

function closed(): EchoMQError {
  return errorOf('the queue events are closed', { code: 'CANCELLED', reason: 'EVENTS_CLOSED' });
}
