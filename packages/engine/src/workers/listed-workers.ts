import { msToDuration, type WorkerSession } from '@echomq/proto/messages';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import type { AboutWorker, WorkerState } from './worker-note.js';

/** A session as ListWorkers tells of it. */
export type ListedWorker = WorkerSession;

const FIELDS = ['format', 'about', 'state', 'startedAt', 'heardAt'];
const FORMAT = '1';

/** An entry of a queue. */
interface Entry {
  readonly queue: NamedQueue;
  readonly about: AboutWorker;
  readonly state: WorkerState;
  readonly startedAt: number;
  readonly heardAt: number;
}

/** The sessions that were noted lately with some queues, with those of these queues that each serves. */
export async function sessionsOf(
  { store }: Pick<EngineDeps, 'store'>,
  queues: readonly NamedQueue[],
): Promise<Map<string, NamedQueue[]>> {
  const sessions = new Map<string, NamedQueue[]>();
  await Promise.all(
    queues.map(async (queue) => {
      const reply = await store.command('ZRANGE', [queue.keys.workers, 0, -1]);
      for (const session of Array.isArray(reply) ? reply.map(String) : []) {
        sessions.set(session, [...(sessions.get(session) ?? []), queue]);
      }
    }),
  );
  return sessions;
}

/** What a session has told of itself; `undefined` once that has lapsed. */
export async function readWorker(
  deps: Pick<EngineDeps, 'store'>,
  session: string,
  queues: readonly NamedQueue[],
): Promise<ListedWorker | undefined> {
  const read = await Promise.all(queues.map((queue) => readEntry(deps, session, queue)));
  const entries = read.filter((entry) => entry !== undefined);
  const newest = entries.toSorted((a, b) => b.heardAt - a.heardAt)[0];
  if (!newest) return undefined;
  const { about, state, heardAt } = newest;
  const { queues: _, sdk, ...worker } = about;
  return {
    worker: { ...worker, sdk, labels: { ...about.labels } },
    queues: [...new Set(entries.flatMap((entry) => entry.about.queues))].sort(),
    startedAt: new Date(Math.min(...entries.map(({ startedAt }) => startedAt))),
    lastHeartbeatAt: new Date(heardAt),
    load: state.load,
    held: entries.flatMap(({ queue, state: { held } }) =>
      held.map((jobId) => ({ queue: queue.name, jobId })),
    ),
    lag: state.lagMs === undefined ? undefined : msToDuration(state.lagMs),
  };
}

async function readEntry(
  { store }: Pick<EngineDeps, 'store'>,
  session: string,
  queue: NamedQueue,
): Promise<Entry | undefined> {
  const reply = await store.command('HMGET', [queue.keys.worker(session), ...FIELDS]);
  const [format, about, state, startedAt, heardAt] = Array.isArray(reply) ? reply.map(String) : [];
  // One of a later version is not understood here.
  if (format !== FORMAT || about === undefined || state === undefined) return undefined;
  return {
    queue,
    about: JSON.parse(about) as AboutWorker,
    state: JSON.parse(state) as WorkerState,
    startedAt: Number(startedAt),
    heardAt: Number(heardAt),
  };
}
