import type { Connection } from '../connection.js';
import type { EchoMQError } from '../errors.js';
import type { EventStart } from './event-start.js';
import type { KnownEventName } from './event-types.js';
import type { EventsGap, QueueEventArgs, QueueEventName } from './queue-event.js';

/** How the events of a queue are listened to. */
export interface QueueEventsOptions {
  /** From `connect` or `embedded`. It is not closed. */
  readonly connection: Connection;
  /** Where to begin; `now` by default. In the place of BullMQ's `lastEventId`. */
  readonly start?: EventStart;
  /** Results and progress come with their events; true by default. */
  readonly includePayloads?: boolean;
  /** Only these events; all by default. BullMQ's has no such bound. */
  readonly types?: readonly KnownEventName[];
  /** Only events of these jobs; all by default. */
  readonly jobIds?: readonly string[];
  /** Begins at once; true by default. False where `events()` alone is used, or until `run` is called. */
  readonly autorun?: boolean;
}

/** The events of a queue with what their listeners get: BullMQ's arguments, `id` as the last. */
export type QueueEventsEvents<Result> = {
  [Name in Exclude<QueueEventName, 'drained'>]: [args: QueueEventArgs<Result>[Name], id: string];
} & {
  /** The last ready job of the queue was taken. */
  drained: [id: string];
  /** Events were trimmed before they could be read; the stream goes on after them. */
  gap: [gap: EventsGap];
  /** The subscription stands; again after each reconnect. */
  ready: [];
  /** The subscription is gone; it is made again by itself, after the last event that was told. */
  disconnected: [error: EchoMQError | undefined];
  /**
   * The subscription cannot be made, told once per outage; or a listener has failed, or a stored payload is no JSON.
   */
  error: [error: Error];
};
