/**
 * What a handler throws to end its run in another way than by a failure that may be retried. Thrown anywhere else they
 * are plain errors.
 */

/** The failure is final: no further attempt, whatever the job's options say. */
export class UnrecoverableError extends Error {
  override readonly name = 'UnrecoverableError';
}

/** The job is to run later; the run counts as no attempt. */
export class DelayedError extends Error {
  override readonly name = 'DelayedError';

  /** @param until ms from now, or an instant; absent: what `job.moveToDelayed` said, else at once */
  constructor(readonly until?: number | Date) {
    super('the job is delayed');
  }
}

/** The job goes back, and its queue hands nothing out for a while. The run counts as no attempt. */
export class RateLimitError extends Error {
  override readonly name = 'RateLimitError';

  /** @param forMs how long the queue is held; absent: what `worker.rateLimit` said last */
  constructor(readonly forMs?: number) {
    super('the queue is rate limited');
  }
}

/** The job is to run again when its children have finished. */
export class WaitingChildrenError extends Error {
  override readonly name = 'WaitingChildrenError';

  constructor() {
    super('the job waits for its children');
  }
}
