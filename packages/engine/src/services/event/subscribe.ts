import { EchoMQError, StoreUnavailable } from '@echomq/core';
import type { SubscribeResponse } from '@echomq/proto/messages';
import { type LogPage, readEvents } from '../../events/event-log.js';
import type { EventApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { refuseWhenLate } from '../unary-method.js';
import { Alarm } from './alarm.js';
import { batchSize, beginAt, type EventDeps, select } from './event-query.js';

const DEFAULT_KEEPALIVE_MS = 15_000;
const RETRY_MS = 250;

/**
 * EventService.Subscribe: at least once, in order. The next batch is read when the consumer has taken the last one, so
 * nothing piles up; who falls behind the trimming is told what is missing and goes on. A store that is away delays the
 * stream, it does not end it.
 */
export function subscribe(deps: EventDeps): EventApi['subscribe'] {
  return async function* stream(request, context) {
    refuseWhenLate(deps, context);
    const { keys } = deps.names.resolve(request.queue);
    const keepaliveMs = durationMs(request.minKeepalive, 'min_keepalive', {
      min: 1_000,
      max: 3_600_000,
      fallback: DEFAULT_KEEPALIVE_MS,
    });
    const most = batchSize(request.maxBatch);
    const begin = await beginAt(deps, keys.events, request);
    const alarm = new Alarm(deps.clock, [context.signal, deps.draining]);
    const stop = await deps.tail.follow(keys.events, () => alarm.ring());
    try {
      yield opened(begin);
      let { cursor } = begin;
      while (!context.signal.aborted) {
        if (deps.draining.aborted) throw drainingError();
        const page = await pageAfter(deps, keys.events, { cursor, most });
        if (page === undefined) {
          await alarm.wait(RETRY_MS);
          continue;
        }
        if (page.gapBefore !== undefined) yield gap(cursor, page.gapBefore);
        if (page.entries.length === 0) {
          if (!(await alarm.wait(keepaliveMs))) yield keepalive(cursor);
          continue;
        }
        const batch = select(page.entries, request, deps.limits.maxResponseBytes);
        cursor = batch.cursor ?? cursor;
        if (batch.events.length > 0) {
          yield { message: { $case: 'batch', value: { events: batch.events } } };
        }
      }
    } finally {
      stop();
      alarm.close();
    }
  };
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

function opened(begin: { cursor: string; oldest: string }): SubscribeResponse {
  return { message: { $case: 'opened', value: { cursor: begin.cursor, oldest: begin.oldest } } };
}

function keepalive(cursor: string): SubscribeResponse {
  return { message: { $case: 'keepalive', value: { cursor } } };
}

function gap(lastSent: string, firstKept: string): SubscribeResponse {
  return { message: { $case: 'gap', value: { lastSent, firstKept } } };
}

function drainingError(): EchoMQError {
  return new EchoMQError('the server is shutting down', {
    code: 'UNAVAILABLE',
    reason: 'GATEWAY_DRAINING',
    retryable: true,
    retryAfterMs: 500,
  });
}
