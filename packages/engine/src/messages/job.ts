import type { StoredJob, JobState as StoredState } from '@echomq/core';
import { type Job, JobView, msToDuration } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';
import { decodeOptions } from './job-options.js';
import { jobState } from './job-state.js';
import { parentRef } from './parent-ref.js';
import { storedCount, storedInstant, storedSpanMs } from './stored-numbers.js';

/** How much of a job is shown. */
export type ShownView = typeof JobView.BASIC | typeof JobView.FULL;

/** What is known of a job besides its hash. */
export interface Shown {
  readonly state: StoredState;
  /** BASIC leaves out the payload, the result, the progress and the stacks. */
  readonly view: ShownView;
  /** Bytes of the payload where the hash was read without it. */
  readonly dataSize?: number;
}

const NOTHING = Buffer.alloc(0);

/**
 * A job as an administrator sees it. Bytes pass through as they are stored. A job whose options are no JSON object has
 * none here; it can still be looked at and removed.
 */
export function adminJob(queue: NamedQueue, job: StoredJob, shown: Shown): Job {
  const options = decodeOptions(job.opts);
  const full = shown.view === JobView.FULL;
  return {
    queue: queue.name,
    jobId: job.id,
    name: job.name,
    state: jobState(shown.state),
    data: full ? job.data : NOTHING,
    dataOmitted: !full,
    dataSize: shown.dataSize ?? job.data.length,
    options,
    attemptsMade: storedCount(job.attemptsMade),
    attemptsStarted: storedCount(job.attemptsStarted),
    stalledCount: storedCount(job.stalledCount),
    createdAt: storedInstant(job.timestamp),
    processedAt: instant(job.processedOn),
    finishedAt: instant(job.finishedOn),
    delay: msToDuration(storedSpanMs(job.delay)),
    priority: storedCount(job.priority),
    parent: parentRef(queue, job),
    schedulerId: job.schedulerId ?? '',
    deduplicationId: job.deduplicationId ?? '',
    headers: options?.headers ?? {},
    returnValue: (full && job.returnValue) || NOTHING,
    failedReason: job.failedReason ?? '',
    stackTrace: full ? stacks(job.stackTrace) : [],
    progress: (full && job.progress) || NOTHING,
    processedBy: job.processedBy ?? '',
  };
}

/** The same job without what makes it large; its size is still told. */
export function withoutBodies(job: Job): Job {
  return {
    ...job,
    data: NOTHING,
    returnValue: NOTHING,
    progress: NOTHING,
    stackTrace: [],
    dataOmitted: true,
  };
}

function instant(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : storedInstant(ms);
}

/** A text that is no JSON array is shown as the one stack that it seems to be. */
function stacks(stored: Buffer | undefined): string[] {
  if (!stored || stored.length === 0) return [];
  const text = stored.toString();
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed.map(String);
  } catch {
    // Shown as it is.
  }
  return text === '{}' ? [] : [text];
}
