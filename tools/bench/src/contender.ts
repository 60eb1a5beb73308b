/** The queues that are measured. */
export const CONTENDERS = [
  'echomq-embedded',
  'echomq-gateway',
  'echomq-unary',
  'echomq-python',
  'bullmq6',
  'bullmq5',
  'bull',
  'bee-queue',
  'groupmq',
  'bullmq-python',
] as const;

/** One of the queues that are measured. */
export type ContenderName = (typeof CONTENDERS)[number];

/** The payload of every measured job: a number, and filler where a size was asked for. */
export interface Payload {
  readonly n: number;
  readonly filler?: string;
}

/** Where a contender finds its servers. */
export interface Place {
  /** Port of the private Redis on 127.0.0.1. */
  readonly redisPort: number;
  /** Address of the gateway, for those that go through one. */
  readonly gateway?: string;
  readonly gatewayPid?: number;
  readonly queue: string;
  /** The Python of a contender whose worker is in one. */
  readonly python?: string;
}

/** How a worker is started. */
export interface WorkTerms {
  readonly concurrency: number;
  /** Finished jobs are removed at once; else all are kept. */
  readonly remove: boolean;
  readonly handler: (data: Payload) => Promise<void> | void;
}

/** A running worker. */
export interface RunningWorker {
  /** Of the worker's own process, where it has one. */
  readonly pid?: number;
  /** Ends it in good order. */
  close(): Promise<void>;
}

/** Where the jobs of a queue stand. */
export interface Books {
  readonly waiting: number;
  readonly active: number;
  readonly completed: number;
  readonly failed: number;
}

/** A queue of one contender, opened in this process. Its settings are those that its documentation recommends. */
export interface Opened {
  add(data: Payload, options?: { readonly delayMs?: number }): Promise<unknown>;
  /** All of them by one call of the contender's bulk API; absent where it has none. */
  addBulk?(items: readonly Payload[]): Promise<unknown>;
  /** Starts a worker and resolves when it is connected. */
  work(terms: WorkTerms): Promise<RunningWorker>;
  books(): Promise<Books>;
  close(): Promise<void>;
}

/** Opens a contender's queue. `remove` holds for jobs that are added by it. */
export type Open = (place: Place, terms: { readonly remove: boolean }) => Promise<Opened>;
