import type { JobState } from '../job/job-state.js';

/** A job of which an event tells. */
interface OfJob {
  readonly jobId: string;
}

/** A job that came from somewhere, where that is known. */
interface Moved extends OfJob {
  /** Where it was before. */
  readonly prev?: JobState;
}

/** What each event of a queue tells, by BullMQ's names. */
export interface QueueEventArgs<Result = unknown> {
  /** A job was added. */
  readonly added: OfJob & { readonly name: string };
  /** A job became ready. */
  readonly waiting: Moved;
  /** A worker took a job. */
  readonly active: Moved;
  /** A job waits for its time; `delay` is when that comes, ms since the epoch. */
  readonly delayed: OfJob & { readonly delay: number };
  /** A job waits for its children. */
  readonly 'waiting-children': Moved;
  /** A job finished with a result, which is undefined where results are not included or it is no JSON. */
  readonly completed: Moved & { readonly returnvalue: Result };
  /** A job finished with an error. */
  readonly failed: Moved & { readonly failedReason: string };
  /** A job failed and no attempt is left. */
  readonly 'retries-exhausted': OfJob & { readonly attemptsMade: number };
  /** The lock of a job ran out while it ran. */
  readonly stalled: OfJob;
  /** A worker reported progress, which is undefined where payloads are not included or it is no JSON. */
  readonly progress: OfJob & { readonly data: unknown };
  /** A job was removed by hand. */
  readonly removed: Moved;
  /** A job was added with an id that exists. */
  readonly duplicated: OfJob;
  /**
   * A job was added with a deduplication id that is taken: `jobId` holds it, `deduplicatedJobId` did not come to be.
   * Where a delayed job is replaced it is the other way round: `jobId` is the new one.
   */
  readonly deduplicated: OfJob & {
    readonly deduplicationId: string;
    readonly deduplicatedJobId: string;
  };
  /** As `deduplicated`, from peers of BullMQ 5. */
  readonly debounced: OfJob & { readonly debounceId: string };
  /** The last ready job of the queue was taken. */
  readonly drained: object;
  /** Old jobs were removed in bulk. */
  readonly cleaned: { readonly count: number };
  /** The queue was paused. */
  readonly paused: object;
  /** The queue was resumed. */
  readonly resumed: object;
  /** Something that this version does not know: a producer of BullMQ may write events of its own. */
  readonly unknown: {
    /** The stored name. */
    readonly type: string;
    readonly jobId: string | undefined;
    /** The stored fields. */
    readonly fields: Readonly<Record<string, string>>;
  };
}

/** The name of an event of a queue. */
export type QueueEventName = keyof QueueEventArgs;

/** Events were trimmed before they could be read; what follows comes after them. */
export interface EventsGap {
  /** The id of the last event that was told; empty if there was none. */
  readonly lastSeen: string;
  /** The id of the first event that is kept. */
  readonly firstKept: string;
}

/** An event as it is iterated over: told apart by `event`. */
export type QueueEvent<Result = unknown> =
  | {
      readonly [Name in QueueEventName]: {
        readonly event: Name;
        /** Its id in the queue's stream: where to resume after it. */
        readonly id: string;
        /** When it happened, by the store's clock. */
        readonly at: Date;
      } & QueueEventArgs<Result>[Name];
    }[QueueEventName]
  | ({ readonly event: 'gap' } & EventsGap);
