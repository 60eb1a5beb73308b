import { durationToMs, ListWorkersRequest, type WorkerSession } from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';

/** Who works on a queue, or on any that the caller may read, and what they hold. */
export async function showWorkers(fields: Fields, { caller, context }: Asked) {
  const request = ListWorkersRequest.fromPartial({
    queue: fields.text('queue'),
    pageToken: fields.text('pageToken'),
  });
  const { sessions, nextPageToken } = await caller.services.queue.listWorkers(request, context);
  return { workers: sessions.map(shown), nextPageToken };
}

function shown({ worker, queues, startedAt, lastHeartbeatAt, load, held, lag }: WorkerSession) {
  return {
    session: worker?.sessionId ?? '',
    name: worker?.name || worker?.workerId || '',
    host: worker?.host ?? '',
    pid: worker?.pid ?? 0,
    sdk: [worker?.sdk?.language, worker?.sdk?.version].filter(Boolean).join(' '),
    queues,
    startedAt: startedAt?.getTime(),
    heardAt: lastHeartbeatAt?.getTime(),
    lagMs: durationToMs(lag),
    running: load?.running ?? 0,
    capacity: load?.capacity ?? 0,
    held: held.map(({ queue, jobId }) => ({ queue, id: jobId })),
  };
}
