import { durationToMs, type Job } from '@echomq/proto/messages';
import { stateName } from './states.js';

/** A list shows so much of why a job failed. */
const REASON_LENGTH = 200;

/** A job in a list. Times in ms since the epoch, absent ones left out. */
export function jobRow(job: Job) {
  return {
    queue: job.queue,
    id: job.jobId,
    name: job.name,
    state: stateName(job.state),
    createdAt: job.createdAt?.getTime(),
    processedAt: job.processedAt?.getTime(),
    finishedAt: job.finishedAt?.getTime(),
    delayMs: durationToMs(job.delay) ?? 0,
    priority: job.priority,
    attemptsMade: job.attemptsMade,
    attempts: job.options?.attempts || 1,
    failedReason: job.failedReason.slice(0, REASON_LENGTH),
    schedulerId: job.schedulerId,
    processedBy: job.processedBy,
  };
}

/** A row. */
export type JobRow = ReturnType<typeof jobRow>;
