import * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';

/**
 * Where to begin: `now` with the next event, `oldest` with the first that is kept, else after the event of that id, as
 * listeners get it.
 */
export type EventStart = 'now' | 'oldest' | (string & {});

/** A start as the contract writes it. @throws InvalidRequest naming `start`, for what is no id of an event */
export function encodeStart(start: EventStart): Pick<pb.SubscribeRequest, 'start' | 'resumeAfter'> {
  if (start === 'now') return { start: pb.EventStart.NOW, resumeAfter: '' };
  if (start === 'oldest') return { start: pb.EventStart.OLDEST, resumeAfter: '' };
  if (typeof start === 'string' && /^\d{1,16}-\d{1,19}$/.test(start)) {
    return { start: pb.EventStart.UNSPECIFIED, resumeAfter: start };
  }
  throw invalid('start', 'must be "now", "oldest" or the id of an event');
}
