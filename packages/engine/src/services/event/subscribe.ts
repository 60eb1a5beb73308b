import { StoreUnavailable } from '@echomq/core';
import type { SubscribeRequest, SubscribeResponse } from '@echomq/proto/messages';
import { type LogPage, readEvents } from '../../events/event-log.js';
import type { Following } from '../../events/event-tail.js';
import type { CallContext, EventApi } from '../../service.js';
import { gatewayDraining, tooManyStreams } from '../../sessions/session-messages.js';
import { durationMs } from '../../validation/duration.js';
import { readStream } from '../unary-method.js';
import { Alarm } from './alarm.js';
import {
  batchSize,
  beginAt,
  type EventDeps,
  type EventFilter,
  type EventPosition,
  filterOf,
  select,
} from './event-query.js';

const DEFAULT_KEEPALIVE_MS = 15_000;
const MAX_KEEPALIVE_MS = 3_600_000;
/** Between two looks at a store that is away, ms. */
const RETRY_MS = 250;

/**
 * EventService.Subscribe: at least once, in order. The next batch is read when the consumer has taken the last one, so
 * nothing piles up; who falls behind the trimming is told what is missing and goes on. A store that is away delays the
 * stream, it does not end it.
 */
export function subscribe(deps: EventDeps): EventApi['subscribe'] {
  let open = 0;
  return readStream(deps, async function* stream(request, context) {
    const key = deps.names.resolve(request.queue).keys.events;
    const terms = termsOf(request);
    if (deps.draining.aborted) throw gatewayDraining();
    if (open >= deps.limits.maxStreams) throw tooManyStreams(deps.limits.maxStreams);
    const alarm = new Alarm(deps.clock, [context.signal, deps.draining]);
    let following: Following | undefined;
    open++;
    try {
      const begin = await beginAt(deps, key, request);
      following = await deps.tail.follow(key, () => alarm.ring());
      yield { message: { $case: 'opened', value: begin } };
      yield* eventsAfter({ deps, key, context, alarm, ...terms }, begin);
    } finally {
      open--;
      following?.stop();
      alarm.close();
    }
  });
}

interface Terms {
  readonly keepaliveMs: number;
  readonly most: number;
  readonly filter: EventFilter;
}

function termsOf(request: SubscribeRequest): Terms {
  const keepaliveMs = durationMs(request.minKeepalive, 'min_keepalive', {
    min: 1_000,
    max: MAX_KEEPALIVE_MS,
    fallback: DEFAULT_KEEPALIVE_MS,
  });
  return { keepaliveMs, most: batchSize(request.maxBatch), filter: filterOf(request) };
}

interface Subscription extends Terms {
  readonly deps: EventDeps;
  readonly key: string;
  readonly context: CallContext;
  readonly alarm: Alarm;
}

/** All that is sent after the opening. Time counts from the last message: events that nobody wants are no sign of life. */
async function* eventsAfter(
  subscription: Subscription,
  begin: EventPosition,
): AsyncGenerator<SubscribeResponse> {
  const { deps, key, context, alarm, keepaliveMs, most, filter } = subscription;
  let { cursor } = begin;
  let sentAt = deps.clock.now();
  while (!context.signal.aborted) {
    if (deps.draining.aborted) throw gatewayDraining();
    const page = await pageAfter(deps, key, { cursor, most });
    const messages: SubscribeResponse[] = [];
    if (page?.gapBefore !== undefined) messages.push(gap(cursor, page.gapBefore));
    const batch = select(page?.entries ?? [], filter, deps.limits.maxResponseBytes);
    cursor = batch.cursor ?? cursor;
    if (batch.events.length > 0) {
      messages.push({ message: { $case: 'batch', value: { events: batch.events } } });
    }
    const leftMs = sentAt + keepaliveMs - deps.clock.now();
    if (messages.length === 0 && leftMs <= 0) messages.push(keepalive(cursor));
    for (const message of messages) {
      yield message;
      sentAt = deps.clock.now();
    }
    if (messages.length > 0 || batch.cursor !== undefined) continue;
    await alarm.wait(page === undefined ? Math.min(RETRY_MS, leftMs) : leftMs);
  }
}

/** The next page, or `undefined` while the store is away. */
async function pageAfter(
  deps: EventDeps,
  key: string,
  { cursor, most }: { readonly cursor: string; readonly most: number },
): Promise<LogPage | undefined> {
  try {
    return await readEvents(deps.store, key, cursor, most);
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

function keepalive(cursor: string): SubscribeResponse {
  return { message: { $case: 'keepalive', value: { cursor } } };
}

function gap(lastSent: string, firstKept: string): SubscribeResponse {
  return { message: { $case: 'gap', value: { lastSent, firstKept } } };
}
