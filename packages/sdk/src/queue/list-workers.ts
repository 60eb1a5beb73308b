import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { type PageOptions, type Pages, pagesOf } from '../paging/pages.js';
import { uint32Of } from '../payload/numbers.js';

/** A worker at work, as it introduced itself and was heard last. Times are the store's, ms since the epoch. */
export interface WorkerRecord {
  /** The worker's name for people. */
  readonly name: string;
  /** Stable name of the worker; many sessions may share it. */
  readonly workerId: string;
  /** One per Worker object, new at each start. */
  readonly sessionId: string;
  readonly host: string;
  readonly pid: number;
  /** The library in use, if it said that. */
  readonly sdk: { readonly language: string; readonly version: string } | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** The queues that it serves. */
  readonly queues: readonly string[];
  readonly startedAt: number | undefined;
  readonly lastHeartbeatAt: number | undefined;
  /** Handlers that run, and how many may run at once; as it said last. */
  readonly load: { readonly running: number; readonly capacity: number } | undefined;
  /** Jobs that it held when it was noted last, at most 100 of each queue. */
  readonly held: readonly { readonly queue: string; readonly id: string }[];
  /** By how much its last heartbeat came too late, ms; undefined: nothing is known. */
  readonly lag: number | undefined;
}

/** The workers of a queue, or of all queues where `queue` is empty. */
export function listWorkers(
  connection: Connection,
  queue: string,
  options: PageOptions = {},
): Pages<WorkerRecord> {
  const request = { queue, pageSize: uint32Of(options.pageSize, 'pageSize') ?? 0 };
  return pagesOf(async (pageToken) => {
    const answer = await connection.call('queue', 'listWorkers', { ...request, pageToken });
    return {
      items: answer.sessions.map(recordOf),
      nextPageToken: answer.nextPageToken || undefined,
    };
  }, options.pageToken);
}

function recordOf(session: pb.WorkerSession): WorkerRecord {
  const { worker, queues, startedAt, lastHeartbeatAt, load, held, lag } = session;
  return {
    name: worker?.name ?? '',
    workerId: worker?.workerId ?? '',
    sessionId: worker?.sessionId ?? '',
    host: worker?.host ?? '',
    pid: worker?.pid ?? 0,
    sdk: worker?.sdk,
    labels: worker?.labels ?? {},
    queues,
    startedAt: startedAt?.getTime(),
    lastHeartbeatAt: lastHeartbeatAt?.getTime(),
    load,
    held: held.map(({ queue, jobId }) => ({ queue, id: jobId })),
    lag: pb.durationToMs(lag),
  };
}
