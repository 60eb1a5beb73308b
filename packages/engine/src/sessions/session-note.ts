import type { WorkOpen } from '@echomq/proto/messages';
import type { WorkerNote } from '../workers/worker-note.js';
import type { Session } from './session.js';
import type { Subscriber } from './subscriber.js';

/** What is noted of the session of a stream; `undefined` for one that counts as gone, or does not say who it is. */
export function sessionNote(
  { worker, load }: Pick<WorkOpen, 'worker' | 'load'>,
  session: Session,
  subscribers: ReadonlyMap<string, Subscriber>,
  now: number,
): WorkerNote | undefined {
  const standing = session.standing(now);
  if (!worker || !standing) return undefined;
  const held = new Map<string, string[]>([...subscribers.keys()].map((key) => [key, []]));
  for (const { queueKey, jobId } of session.holdings.all()) held.get(queueKey)?.push(jobId);
  const queues = [...subscribers.values()].map(({ key, dispatch }) => {
    return { queue: dispatch.queue, held: held.get(key) ?? [] };
  });
  return { worker, load, ...standing, queues };
}
