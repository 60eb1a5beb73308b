import * as pb from '@echomq/proto/messages';
import { decodeState } from '../job/job-state.js';
import type { QueueEvent, QueueEventArgs, QueueEventName } from './queue-event.js';

/** A payload as a value; undefined, and told elsewhere, where it is none. */
export type ReadJson = (bytes: Buffer, field: string) => unknown;

/** An event without its envelope. */
export type DecodedEvent = {
  [Name in QueueEventName]: { readonly name: Name; readonly args: QueueEventArgs[Name] };
}[QueueEventName];

/** An event as the SDK's users know it. */
export function decodeEvent(event: pb.Event, json: ReadJson): DecodedEvent {
  const { jobId } = event;
  const job = { jobId };
  switch (event.type) {
    case pb.EventType.ADDED:
      return { name: 'added', args: { jobId, name: event.name } };
    case pb.EventType.WAITING:
      return { name: 'waiting', args: moved(event) };
    case pb.EventType.ACTIVE:
      return { name: 'active', args: moved(event) };
    case pb.EventType.DELAYED:
      return { name: 'delayed', args: { jobId, delay: event.dueAt?.getTime() ?? 0 } };
    case pb.EventType.WAITING_CHILDREN:
      return { name: 'waiting-children', args: moved(event) };
    case pb.EventType.COMPLETED: {
      const returnvalue = json(event.returnValue, 'returnvalue');
      return { name: 'completed', args: { ...moved(event), returnvalue } };
    }
    case pb.EventType.FAILED:
      return { name: 'failed', args: { ...moved(event), failedReason: event.failedReason } };
    case pb.EventType.RETRIES_EXHAUSTED:
      return { name: 'retries-exhausted', args: { jobId, attemptsMade: event.attemptsMade } };
    case pb.EventType.STALLED:
      return { name: 'stalled', args: job };
    case pb.EventType.PROGRESS:
      return { name: 'progress', args: { jobId, data: json(event.progress, 'data') } };
    case pb.EventType.REMOVED:
      return { name: 'removed', args: moved(event) };
    case pb.EventType.DUPLICATED:
      return { name: 'duplicated', args: job };
    case pb.EventType.DEDUPLICATED: {
      const { deduplicationId, deduplicatedJobId } = event;
      return { name: 'deduplicated', args: { jobId, deduplicationId, deduplicatedJobId } };
    }
    case pb.EventType.DEBOUNCED:
      return { name: 'debounced', args: { jobId, debounceId: event.deduplicationId } };
    case pb.EventType.DRAINED:
      return { name: 'drained', args: {} };
    case pb.EventType.CLEANED:
      return { name: 'cleaned', args: { count: event.count } };
    case pb.EventType.PAUSED:
      return { name: 'paused', args: {} };
    case pb.EventType.RESUMED:
      return { name: 'resumed', args: {} };
    default:
      return { name: 'unknown', args: unmodelled(event) };
  }
}

/** An event with its envelope, to be iterated over. */
export function enveloped<Result>(event: pb.Event, json: ReadJson): QueueEvent<Result> {
  const { name, args } = decodeEvent(event, json);
  const at = event.at ?? new Date(0);
  return { ...args, event: name, id: event.id, at } as QueueEvent<Result>;
}

function moved({ jobId, prevState }: pb.Event) {
  if (prevState === pb.JobState.UNSPECIFIED) return { jobId };
  return { jobId, prev: decodeState(prevState) };
}

function unmodelled({ rawType, jobId, extra }: pb.Event): QueueEventArgs['unknown'] {
  const fields = Object.entries(extra).map(([name, value]) => [name, value.toString()] as const);
  return { type: rawType, jobId: jobId || undefined, fields: Object.fromEntries(fields) };
}
