/** Every bound that the engine keeps, with its default. Sizes in bytes, spans in ms. docs/operations.md lists them. */
export interface Limits {
  /** A job's data, and a job's result. */
  readonly maxPayloadBytes: number;
  /** Jobs in one answer or one delivery, in bytes; one job alone may exceed it and then comes without its data. */
  readonly maxResponseBytes: number;
  /** One message on the wire, each way; the transport keeps it, the engine tells it. */
  readonly maxMessageBytes: number;
  /** Items of one AddJobs. */
  readonly maxBulkItems: number;
  /** Bytes of one AddJobs in mode ATOMIC: it holds Redis for the whole script. */
  readonly maxAtomicBulkBytes: number;
  /** Longest wait of a long poll. */
  readonly maxWaitMs: number;
  /** Wait of a long poll that names none. */
  readonly defaultWaitMs: number;
  /** Long polls that wait at one time. */
  readonly maxWaiters: number;
  /** Work streams at one time. */
  readonly maxStreams: number;
  readonly minLockMs: number;
  readonly maxLockMs: number;
  readonly defaultLockMs: number;
  /** How long the leases of one delivery are renewed at most. */
  readonly maxLockLifetimeMs: number;
  /** Jobs of one FetchJobs, leases of one FinishJobs. */
  readonly maxBatch: number;
  /** Leases of one ExtendLocks. */
  readonly maxExtend: number;
  /** Log lines of one call, and their bytes. */
  readonly maxLogLines: number;
  readonly maxLogBytes: number;
  /** Rows of one page of a list. */
  readonly maxPageSize: number;
  readonly defaultPageSize: number;
  /** Depth of nesting in a JSON payload. */
  readonly maxJsonDepth: number;
  /** Stored text of an error message, and of one stack. */
  readonly maxErrorBytes: number;
  readonly maxStackBytes: number;
  /** Stacks kept per job where the job names fewer or none. */
  readonly maxStacks: number;
  /** Cap on a computed retry delay. */
  readonly maxBackoffMs: number;
}

/** The defaults. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxPayloadBytes: 1_048_576,
  maxResponseBytes: 3_670_016,
  maxMessageBytes: 4_194_304,
  maxBulkItems: 1_000,
  maxAtomicBulkBytes: 1_048_576,
  maxWaitMs: 60_000,
  defaultWaitMs: 20_000,
  maxWaiters: 10_000,
  maxStreams: 10_000,
  minLockMs: 1_000,
  maxLockMs: 3_600_000,
  defaultLockMs: 30_000,
  maxLockLifetimeMs: 86_400_000,
  maxBatch: 100,
  maxExtend: 1_000,
  maxLogLines: 100,
  maxLogBytes: 65_536,
  maxPageSize: 1_000,
  defaultPageSize: 100,
  maxJsonDepth: 128,
  maxErrorBytes: 4_096,
  maxStackBytes: 8_192,
  maxStacks: 10,
  maxBackoffMs: 86_400_000,
});
