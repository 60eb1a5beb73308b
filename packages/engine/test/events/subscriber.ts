import { type Event, SubscribeRequest, type SubscribeResponse } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import type { EventApi } from '../../src/service.js';
import { frozen } from '../use-services.js';

type Part = Parameters<typeof SubscribeRequest.fromPartial>[0];
type Message = NonNullable<SubscribeResponse['message']>;

/** A subscriber that takes one message at a time. */
export interface Subscriber {
  /** The next message; fails when the stream ends. */
  next(): Promise<Message>;
  /** Events of the next batches, until there are so many. */
  events(count: number): Promise<Event[]>;
  /** Goes away. */
  leave(): Promise<void>;
}

/** Subscribes to a queue's events. */
export function subscribe(
  service: Pick<EventApi, 'subscribe'>,
  queue: Pick<FreshQueue, 'name'>,
  part: Part = {},
): Subscriber {
  const abort = new AbortController();
  const request = frozen(SubscribeRequest.fromPartial({ queue: queue.name, ...part }));
  const stream = service.subscribe(request, { signal: abort.signal })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await stream.next();
    if (done || !value.message) throw new Error('the stream ended');
    return value.message;
  };
  return {
    next,
    async events(count) {
      const events: Event[] = [];
      while (events.length < count) {
        const message = await next();
        if (message.$case === 'batch') events.push(...message.value.events);
      }
      return events;
    },
    async leave() {
      abort.abort();
      await stream.return?.();
    },
  };
}

/** The first message, which must be the opening. */
export async function opening(subscriber: Subscriber): Promise<{ cursor: string; oldest: string }> {
  const message = await subscriber.next();
  if (message.$case !== 'opened') throw new Error(`opened with ${message.$case}`);
  return message.value;
}
