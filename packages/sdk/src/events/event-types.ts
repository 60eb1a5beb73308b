import * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';
import type { QueueEventName } from './queue-event.js';

/** The names of the events of a queue, but for those that are not known. */
export type KnownEventName = Exclude<QueueEventName, 'unknown'>;

const TYPES: Readonly<Record<KnownEventName, pb.EventType>> = {
  added: pb.EventType.ADDED,
  waiting: pb.EventType.WAITING,
  active: pb.EventType.ACTIVE,
  delayed: pb.EventType.DELAYED,
  'waiting-children': pb.EventType.WAITING_CHILDREN,
  completed: pb.EventType.COMPLETED,
  failed: pb.EventType.FAILED,
  'retries-exhausted': pb.EventType.RETRIES_EXHAUSTED,
  stalled: pb.EventType.STALLED,
  progress: pb.EventType.PROGRESS,
  removed: pb.EventType.REMOVED,
  duplicated: pb.EventType.DUPLICATED,
  deduplicated: pb.EventType.DEDUPLICATED,
  debounced: pb.EventType.DEBOUNCED,
  drained: pb.EventType.DRAINED,
  cleaned: pb.EventType.CLEANED,
  paused: pb.EventType.PAUSED,
  resumed: pb.EventType.RESUMED,
};

/** Event names as the contract writes them. @throws InvalidRequest naming the one that is none */
export function encodeEventTypes(names: readonly KnownEventName[]): pb.EventType[] {
  return names.map((name, index) => {
    if (Object.hasOwn(TYPES, name)) return TYPES[name];
    throw invalid(`types[${index}]`, `${JSON.stringify(name)} is no event of a queue`);
  });
}
