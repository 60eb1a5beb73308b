import { type Event, EventType, JobState } from '@echomq/proto/messages';
import type { StreamEntry } from './stream-entry.js';

const TYPES: ReadonlyMap<string, EventType> = new Map([
  ['added', EventType.ADDED],
  ['waiting', EventType.WAITING],
  ['active', EventType.ACTIVE],
  ['delayed', EventType.DELAYED],
  ['waiting-children', EventType.WAITING_CHILDREN],
  ['completed', EventType.COMPLETED],
  ['failed', EventType.FAILED],
  ['retries-exhausted', EventType.RETRIES_EXHAUSTED],
  ['stalled', EventType.STALLED],
  ['progress', EventType.PROGRESS],
  ['removed', EventType.REMOVED],
  ['duplicated', EventType.DUPLICATED],
  ['deduplicated', EventType.DEDUPLICATED],
  ['debounced', EventType.DEBOUNCED],
  ['drained', EventType.DRAINED],
  ['cleaned', EventType.CLEANED],
  ['paused', EventType.PAUSED],
  ['resumed', EventType.RESUMED],
]);

const STATES: ReadonlyMap<string, JobState> = new Map([
  ['wait', JobState.WAITING],
  ['waiting', JobState.WAITING],
  ['paused', JobState.WAITING],
  ['prioritized', JobState.PRIORITIZED],
  ['delayed', JobState.DELAYED],
  ['active', JobState.ACTIVE],
  ['waiting-children', JobState.WAITING_CHILDREN],
  ['completed', JobState.COMPLETED],
  ['failed', JobState.FAILED],
  ['unknown', JobState.UNKNOWN],
]);

/** Fields that an event's message has a place for; the rest goes into `extra`. */
const MODELLED = new Set(
  'event jobId name prev returnvalue failedReason attemptsMade deduplicationId debounceId deduplicatedJobId count'.split(
    ' ',
  ),
);

/** The type of a stored name; UNSPECIFIED for one that this version does not model. */
export function eventTypeOf(name: string): EventType {
  return TYPES.get(name) ?? EventType.UNSPECIFIED;
}

/** An entry as clients see it; results and progress only when asked for. */
export function eventMessage(entry: StreamEntry, includePayloads: boolean): Event {
  const { fields } = entry;
  const type = eventTypeOf(entry.type);
  const text = (field: string) => fields.get(field)?.toString() ?? '';
  const count = (field: string) => Math.max(0, Math.trunc(Number(text(field)) || 0)) >>> 0;
  const payload = (field: string) =>
    (includePayloads ? fields.get(field) : undefined) ?? Buffer.alloc(0);
  const due = Number(text('delay'));
  const isDelayed = type === EventType.DELAYED && Number.isFinite(due) && due > 0;
  const extra: Record<string, Buffer> = {};
  for (const [field, value] of fields) {
    const known = MODELLED.has(field) || (field === 'delay' && isDelayed);
    if (!known && !(field === 'data' && type === EventType.PROGRESS)) extra[field] = value;
  }
  return {
    id: entry.id,
    type,
    rawType: entry.type,
    jobId: text('jobId'),
    at: new Date(Number(entry.id.slice(0, entry.id.indexOf('-')))),
    prevState: STATES.get(text('prev')) ?? JobState.UNSPECIFIED,
    name: text('name'),
    returnValue: payload('returnvalue'),
    failedReason: text('failedReason'),
    progress: type === EventType.PROGRESS ? payload('data') : Buffer.alloc(0),
    dueAt: isDelayed ? new Date(due) : undefined,
    attemptsMade: count('attemptsMade'),
    deduplicationId: text('deduplicationId') || text('debounceId'),
    deduplicatedJobId: text('deduplicatedJobId'),
    count: count('count'),
    extra,
  };
}
