/** How the wait before the next attempt grows; the server computes it. */
export interface BackoffOptions {
  /** `fixed`, `exponential` (doubles with each attempt), or a name that the gateway's configuration knows. */
  readonly type: 'fixed' | 'exponential' | (string & {});
  /** The first delay, in ms. */
  readonly delay?: number;
  /** From 0 to 1: the share of the delay that is left to chance. */
  readonly jitter?: number;
}

/** Which finished jobs stay; what is not given does not bound. */
export interface KeepJobs {
  /** Those that finished within so many seconds. */
  readonly age?: number;
  /** The newest so many. */
  readonly count?: number;
  /** Remove at most so many at one finish. */
  readonly limit?: number;
}

/** Keeps a second job of the same meaning out. */
export interface DeduplicationOptions {
  /** What must be unique in the queue. */
  readonly id: string;
  /** How long the id stays taken, in ms; absent: until the job finishes. */
  readonly ttl?: number;
  /** Each further add begins the ttl anew. */
  readonly extend?: boolean;
  /** A further add replaces the job while that is delayed. */
  readonly replace?: boolean;
  /** While the job is active the last further add is kept and runs next. */
  readonly keepLastIfActive?: boolean;
  /** A further add that is kept out moves the job, while that is delayed, to the time at which it would be due itself. */
  readonly reschedule?: boolean;
}

/** How a job is to be run and kept. The names are those that BullMQ's users know. */
export interface JobsOptions {
  /** An id of your choice, at most 256 bytes, no integer; absent: the server counts. */
  readonly jobId?: string;
  /** Ready so many ms after it is added; 0 by default. Not together with `runAt`. */
  readonly delay?: number;
  /** Ready at this instant. */
  readonly runAt?: Date;
  /** 0 (none, runs first) to 2,097,151 (last). */
  readonly priority?: number;
  /** How often it may be started before a failure is final; 1 by default. */
  readonly attempts?: number;
  /** The wait between attempts; a number is a fixed delay in ms. */
  readonly backoff?: number | BackoffOptions;
  /** To the front of those that wait. */
  readonly lifo?: boolean;
  /** What stays after success: true removes it, a number keeps the newest so many. All by default. */
  readonly removeOnComplete?: boolean | number | KeepJobs;
  /** What stays after the final failure. All by default. */
  readonly removeOnFail?: boolean | number | KeepJobs;
  /** Log lines kept. */
  readonly keepLogs?: number;
  /** Stack traces kept, the newest. */
  readonly stackTraceLimit?: number;
  /** Refuses the add when its data has more bytes. */
  readonly sizeLimit?: number;
  /** Keeps a second job of the same meaning out. */
  readonly deduplication?: DeduplicationOptions;
  /** The job that is to wait for this one. */
  readonly parent?: { readonly id: string; readonly queue: string };
  /** The final failure of this job fails its parent. One of these four at most. */
  readonly failParentOnFailure?: boolean;
  /** The final failure of this job lets its parent run at once. */
  readonly continueParentOnFailure?: boolean;
  /** The parent no longer waits for this job once that has failed; it is listed as ignored. */
  readonly ignoreDependencyOnFailure?: boolean;
  /** The parent forgets this job once that has failed. */
  readonly removeDependencyOnFailure?: boolean;
  /** Handed to the worker as they are, for example the trace context. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every option by name, so that a misspelt one is refused instead of ignored. */
export const JOB_OPTION_NAMES: ReadonlySet<string> = new Set<keyof JobsOptions>([
  ...(['jobId', 'delay', 'runAt', 'priority', 'attempts', 'backoff', 'lifo'] as const),
  ...(['removeOnComplete', 'removeOnFail', 'keepLogs', 'stackTraceLimit', 'sizeLimit'] as const),
  ...(['deduplication', 'parent', 'failParentOnFailure', 'continueParentOnFailure'] as const),
  ...(['ignoreDependencyOnFailure', 'removeDependencyOnFailure', 'headers'] as const),
]);
