import { getState } from '@echomq/core';
import { JobState, type WaitJobResponse } from '@echomq/proto/messages';
import { readEvents } from '../../events/event-log.js';
import type { Following } from '../../events/event-tail.js';
import type { StreamEntry } from '../../events/stream-entry.js';
import { jobState } from '../../messages/job-state.js';
import type { ProducerApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { Alarm } from '../event/alarm.js';
import { type EventDeps, refuseWhenCrowded } from '../event/event-query.js';
import { jobNotFound } from '../queue/job-errors.js';
import { type NamedJob, namedJob } from '../queue/named-job.js';
import { readMethod } from '../unary-method.js';

/** Answers come so long before the caller's deadline, ms. */
const DEADLINE_MARGIN_MS = 500;
/** The store is looked at again after this at the latest: events can be trimmed, and links can break. */
const RECHECK_MS = 5_000;
/** Events read in one go. */
const PAGE = 1_000;

const NOTHING = Buffer.alloc(0);

/**
 * ProducerService.WaitJob. It listens before it looks, so that an end between the two is not missed; the event itself
 * carries the result, which a job that is removed as it ends no longer has.
 */
export function waitJob(deps: EventDeps): ProducerApi['waitJob'] {
  return readMethod(deps, async (request, context) => {
    const job = namedJob(deps, request);
    const waitMs = durationMs(request.wait, 'wait', { max: deps.limits.maxWaitMs, fallback: 0 });
    const limit = (context.deadline ?? Number.POSITIVE_INFINITY) - DEADLINE_MARGIN_MS;
    const until = Math.min(deps.clock.now() + waitMs, limit);
    if (waitMs > 0) refuseWhenCrowded(deps);
    const alarm = new Alarm(deps.clock, [context.signal, deps.draining]);
    let following: Following | undefined;
    let end: StreamEntry | undefined;
    const listen = (entries: readonly StreamEntry[]) => {
      end ??= entries.find((entry) => isEndOf(entry, job.id));
      if (end || entries.some((entry) => isRemovalOf(entry, job.id))) alarm.ring();
    };
    try {
      if (waitMs > 0) following = await deps.tail.follow(job.queue.keys.events, listen);
      for (;;) {
        const stored = end ?? (await readEnd(deps, job, following?.after));
        if (stored) return answer(end ?? stored, request.includeResult);
        const leftMs = until - deps.clock.now();
        if (leftMs <= 0 || context.signal.aborted || deps.draining.aborted) {
          return await unfinished(deps, job);
        }
        await alarm.wait(Math.min(leftMs, RECHECK_MS));
      }
    } finally {
      following?.stop();
      alarm.close();
    }
  });
}

/** How a job ended, read off its hash. */
interface StoredEnd {
  /** Absent: it failed. */
  readonly returnValue: Buffer | undefined;
  readonly failedReason: string;
  /** Ms since the epoch. */
  readonly finishedOn: number;
}

function isEndOf(entry: StreamEntry, jobId: string): boolean {
  const ends = entry.type === 'completed' || entry.type === 'failed';
  return ends && entry.fields.get('jobId')?.toString() === jobId;
}

function isRemovalOf(entry: StreamEntry, jobId: string): boolean {
  return entry.type === 'removed' && entry.fields.get('jobId')?.toString() === jobId;
}

/**
 * How the job ended; `undefined` when it has not.
 *
 * @param after where the events of this wait begin: a job that is gone may have ended since.
 * @throws EchoMQError JOB_NOT_FOUND.
 */
async function readEnd(
  { store }: EventDeps,
  { queue, id }: NamedJob,
  after: string | undefined,
): Promise<StoredEnd | StreamEntry | undefined> {
  const fields = ['name', 'timestamp', 'finishedOn', 'returnvalue', 'failedReason'];
  const reply = await store.command('HMGET', [queue.keys.job(id), ...fields]);
  const [name, timestamp, finishedOn, returnValue, reason] = reply as (Buffer | null)[];
  if (!name && !timestamp) {
    for (let cursor = after; cursor !== undefined; ) {
      const { entries } = await readEvents(store, queue.keys.events, cursor, PAGE);
      const end = entries.find((entry) => isEndOf(entry, id));
      if (end) return end;
      cursor = entries.at(-1)?.id;
    }
    throw jobNotFound(queue, id);
  }
  if (!finishedOn) return undefined;
  return {
    // A reason may be left from an attempt that failed before one succeeded.
    returnValue: returnValue ?? undefined,
    failedReason: reason?.toString() ?? '',
    finishedOn: Number(finishedOn.toString()),
  };
}

function answer(end: StoredEnd | StreamEntry, includeResult: boolean): WaitJobResponse {
  const { returnValue, failedReason, finishedOn } = 'fields' in end ? fromEvent(end) : end;
  const completed = returnValue !== undefined;
  return {
    state: completed ? JobState.COMPLETED : JobState.FAILED,
    finished: true,
    returnValue: completed && includeResult ? returnValue : NOTHING,
    failedReason: completed ? '' : failedReason,
    finishedAt: new Date(finishedOn),
  };
}

function fromEvent({ type, fields, id }: StreamEntry): StoredEnd {
  return {
    returnValue: type === 'completed' ? (fields.get('returnvalue') ?? NOTHING) : undefined,
    failedReason: fields.get('failedReason')?.toString() ?? '',
    finishedOn: Number(id.slice(0, id.indexOf('-'))),
  };
}

async function unfinished(deps: EventDeps, { queue, id }: NamedJob): Promise<WaitJobResponse> {
  const state = await getState(deps.store, queue.keys, id);
  return {
    state: jobState(state),
    finished: false,
    returnValue: NOTHING,
    failedReason: '',
    finishedAt: undefined,
  };
}
