import * as pb from '@echomq/proto/messages';

/** The settings of a queue; what is undefined is not set. */
export interface QueueMeta {
  /** It hands nothing out. */
  readonly paused: boolean;
  /** As many jobs are active as may be at once. */
  readonly maxed: boolean;
  /** Jobs that may be active at once over all workers. */
  readonly concurrency: number | undefined;
  /** At most `max` jobs begin per `duration` ms, over all workers. */
  readonly rateLimit: { readonly max: number; readonly duration: number } | undefined;
  /** Bounds of the queue. */
  readonly limits: QueueLimits;
  /** The software that wrote to it last, as it calls itself. */
  readonly version: string | undefined;
}

/** Bounds of a queue, kept by the adds; what is absent is not bounded by the queue. */
export interface QueueLimits {
  /** Bytes of the data with which a job is added; beyond it an add fails with PAYLOAD_TOO_LARGE. */
  readonly maxPayloadBytes?: number | undefined;
  /** Jobs that have not ended; beyond it an add that would make one fails with QUEUE_FULL. */
  readonly maxJobs?: number | undefined;
  /** Events that are kept, about; BullMQ's `streams.events.maxLen`. */
  readonly maxEvents?: number | undefined;
}

/** The settings as the SDK's users see them. */
export function metaOf(queue: pb.QueueInfo | undefined): QueueMeta {
  const { rateLimit, limits } = queue ?? {};
  return {
    paused: queue?.paused ?? false,
    maxed: queue?.maxed ?? false,
    concurrency: queue?.concurrency,
    rateLimit:
      rateLimit === undefined
        ? undefined
        : { max: rateLimit.max, duration: pb.durationToMs(rateLimit.duration) ?? 0 },
    limits: Object.fromEntries(
      Object.entries(limits ?? {}).filter(([, bound]) => bound !== undefined),
    ),
    version: queue?.version || undefined,
  };
}
