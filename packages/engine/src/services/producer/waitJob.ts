import { getJob, getState, type StoredJob } from '@echomq/core';
import { JobState, type WaitJobResponse } from '@echomq/proto/messages';
import type { StreamEntry } from '../../events/stream-entry.js';
import { jobState } from '../../messages/job-state.js';
import type { NamedQueue } from '../../queue-names.js';
import type { ProducerApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { Alarm } from '../event/alarm.js';
import type { EventDeps } from '../event/event-query.js';
import { jobNotFound } from '../queue/job-errors.js';
import { namedJob } from '../queue/named-job.js';
import { readMethod } from '../unary-method.js';

const DEADLINE_MARGIN_MS = 500;
/** The store is looked at again after this at the latest: events can be trimmed, and links can break. */
const RECHECK_MS = 5_000;

/**
 * ProducerService.WaitJob. It listens before it looks, so that an end between the two is not missed; the event itself
 * carries the result, which a job that is removed as it ends no longer has.
 */
export function waitJob(deps: EventDeps): ProducerApi['waitJob'] {
  return readMethod(deps, async (request, context) => {
    const { queue, id } = namedJob(deps, request);
    const waitMs = durationMs(request.wait, 'wait', { max: deps.limits.maxWaitMs, fallback: 0 });
    const limit = context.deadline === undefined ? Infinity : context.deadline - DEADLINE_MARGIN_MS;
    const until = Math.min(deps.clock.now() + waitMs, limit);
    const alarm = new Alarm(deps.clock, [context.signal, deps.draining]);
    let end: StreamEntry | undefined;
    const listen = (entries: readonly StreamEntry[]) => {
      end ??= entries.find((entry) => isEndOf(entry, id));
      if (end) alarm.ring();
    };
    const stop = waitMs > 0 ? await deps.tail.follow(queue.keys.events, listen) : undefined;
    try {
      for (;;) {
        if (end) return fromEvent(end, request.includeResult);
        const job = await getJob(deps.store, queue.keys, id);
        if (end) return fromEvent(end, request.includeResult);
        if (!job) throw jobNotFound(queue, id);
        if (job.finishedOn !== undefined) return fromJob(job, request.includeResult);
        const leftMs = until - deps.clock.now();
        if (leftMs <= 0 || context.signal.aborted || deps.draining.aborted) {
          return await unfinished(deps, queue, id);
        }
        await alarm.wait(Math.min(leftMs, RECHECK_MS));
      }
    } finally {
      stop?.();
      alarm.close();
    }
  });
}

function isEndOf(entry: StreamEntry, jobId: string): boolean {
  return (
    (entry.type === 'completed' || entry.type === 'failed') &&
    entry.fields.get('jobId')?.toString() === jobId
  );
}

function fromEvent(entry: StreamEntry, includeResult: boolean): WaitJobResponse {
  const completed = entry.type === 'completed';
  return {
    state: completed ? JobState.COMPLETED : JobState.FAILED,
    finished: true,
    returnValue: (completed && includeResult && entry.fields.get('returnvalue')) || Buffer.alloc(0),
    failedReason: completed ? '' : (entry.fields.get('failedReason')?.toString() ?? ''),
    finishedAt: new Date(Number(entry.id.slice(0, entry.id.indexOf('-')))),
  };
}

function fromJob(job: StoredJob, includeResult: boolean): WaitJobResponse {
  // A reason may be left from an attempt that failed before one succeeded.
  const completed = job.returnValue !== undefined;
  return {
    state: completed ? JobState.COMPLETED : JobState.FAILED,
    finished: true,
    returnValue: (completed && includeResult && job.returnValue) || Buffer.alloc(0),
    failedReason: completed ? '' : (job.failedReason ?? ''),
    finishedAt: job.finishedOn === undefined ? undefined : new Date(job.finishedOn),
  };
}

async function unfinished(
  deps: EventDeps,
  queue: NamedQueue,
  id: string,
): Promise<WaitJobResponse> {
  const state = await getState(deps.store, queue.keys, id);
  return {
    state: jobState(state),
    finished: false,
    returnValue: Buffer.alloc(0),
    failedReason: '',
    finishedAt: undefined,
  };
}
