import { EchoMQError, InvalidRequest } from '@echomq/core';
import { type Event, EventStart, type EventType } from '@echomq/proto/messages';
import { newestEventId, oldestEventId, readEvents } from '../../events/event-log.js';
import { eventMessage, eventTypeOf } from '../../events/event-message.js';
import type { EventTail } from '../../events/event-tail.js';
import { isStreamId, type StreamEntry } from '../../events/stream-entry.js';
import type { EngineDeps } from '../../ports.js';
import { tooManyWaiters } from '../../sessions/session-messages.js';
import { uint } from '../../validation/uint.js';

/** What the event service works with. */
export type EventDeps = Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock' | 'logger'> & {
  readonly tail: EventTail;
  /** Aborts when the engine drains: streams end then. */
  readonly draining: AbortSignal;
};

/** Which events are wanted; an empty set lets all of them pass. */
export interface EventFilter {
  readonly types: ReadonlySet<EventType>;
  readonly jobIds: ReadonlySet<string>;
  readonly includePayloads: boolean;
}

/** Where a reader begins: its first cursor, and the oldest event that is kept ('' for none). */
export interface EventPosition {
  readonly cursor: string;
  readonly oldest: string;
}

const MOST_EVENTS = 1_000;
/** Ids, and types, that one request may name. */
const MOST_NAMED = 1_000;

/**
 * Refuses a wait when as many wait as may.
 *
 * @throws EchoMQError TOO_MANY_WAITERS.
 */
export function refuseWhenCrowded({ tail, limits }: Pick<EventDeps, 'tail' | 'limits'>): void {
  if (tail.followers >= limits.maxWaiters) throw tooManyWaiters(limits.maxWaiters);
}

/** Events of a batch: 0 means 100. */
export function batchSize(value: number): number {
  return uint(value, 'max_batch', { max: MOST_EVENTS, fallback: 0 }) || 100;
}

/**
 * The filter of a request. It is looked at for every event, so it is bounded and looked up, never searched.
 *
 * @throws InvalidRequest for more than 1,000 ids or types.
 */
export function filterOf(request: {
  readonly types: readonly EventType[];
  readonly jobIds: readonly string[];
  readonly includePayloads: boolean;
}): EventFilter {
  const { types, jobIds, includePayloads } = request;
  if (types.length > MOST_NAMED) throw new InvalidRequest('types', `must be at most ${MOST_NAMED}`);
  if (jobIds.length > MOST_NAMED) {
    throw new InvalidRequest('job_ids', `must be at most ${MOST_NAMED}`);
  }
  return { types: new Set(types), jobIds: new Set(jobIds), includePayloads };
}

/**
 * Where to begin.
 *
 * @throws InvalidRequest for a cursor that is none; EchoMQError EVENT_CURSOR_TRIMMED when events after it are gone.
 */
export async function beginAt(
  deps: EventDeps,
  key: string,
  request: { readonly resumeAfter: string; readonly start: EventStart },
): Promise<EventPosition> {
  const { resumeAfter, start } = request;
  if (resumeAfter !== '' && !isStreamId(resumeAfter)) {
    throw new InvalidRequest('resume_after', 'is no id of an event');
  }
  const oldest = await oldestEventId(deps.store, key);
  if (resumeAfter === '') {
    const cursor = start === EventStart.OLDEST ? '0-0' : await newestEventId(deps.store, key);
    return { cursor, oldest };
  }
  const page = await readEvents(deps.store, key, resumeAfter, 1);
  if (page.gapBefore !== undefined) {
    throw new EchoMQError('events after this one were trimmed', {
      code: 'OUT_OF_RANGE',
      reason: 'EVENT_CURSOR_TRIMMED',
      metadata: { oldestId: page.gapBefore },
    });
  }
  return { cursor: resumeAfter, oldest };
}

/** The wanted ones of some entries, as many as fit a message, and the cursor behind the last one looked at. */
export function select(
  entries: readonly StreamEntry[],
  filter: EventFilter,
  maxBytes: number,
): { readonly events: Event[]; readonly cursor: string | undefined } {
  const events: Event[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (const entry of entries) {
    if (isWanted(entry, filter)) {
      bytes += sizeOf(entry);
      if (bytes > maxBytes && events.length > 0) break;
      // One event alone may be too large for a message: its payload then stays where it is.
      events.push(eventMessage(entry, filter.includePayloads && bytes <= maxBytes));
    }
    cursor = entry.id;
  }
  return { events, cursor };
}

function isWanted(entry: StreamEntry, { types, jobIds }: EventFilter): boolean {
  if (types.size > 0 && !types.has(eventTypeOf(entry.type))) return false;
  return jobIds.size === 0 || jobIds.has(entry.fields.get('jobId')?.toString() ?? '');
}

function sizeOf(entry: StreamEntry): number {
  let bytes = 64;
  for (const [name, value] of entry.fields) bytes += name.length + value.length + 8;
  return bytes;
}
