import * as pb from '@echomq/proto/messages';

const NONE = Buffer.alloc(0);

/** A job that was just delivered, in the shape in which jobs are read. */
export function recordOfDelivery(delivered: pb.DeliveredJob): pb.Job {
  // Written out in one piece: this is made for every job that runs.
  return {
    queue: delivered.lease?.queue ?? '',
    jobId: delivered.lease?.jobId ?? '',
    name: delivered.name,
    state: pb.JobState.ACTIVE,
    data: delivered.data,
    dataOmitted: delivered.dataOmitted,
    dataSize: delivered.dataSize,
    options: delivered.options,
    attemptsMade: Math.max(0, delivered.attempt - 1),
    attemptsStarted: delivered.attemptsStarted,
    stalledCount: delivered.stalledCount,
    createdAt: delivered.createdAt,
    // The lock began with the run; this side's clock is near enough for people.
    processedAt: new Date(),
    finishedAt: undefined,
    delay: undefined,
    priority: delivered.priority,
    parent: delivered.parent,
    schedulerId: delivered.schedulerId,
    deduplicationId: delivered.deduplicationId,
    headers: delivered.headers,
    returnValue: NONE,
    failedReason: '',
    stackTrace: [],
    progress: delivered.lastProgress,
    processedBy: '',
  };
}

/** A job that was just added, as far as the add knows it. */
export function recordOfAdd(
  item: pb.AddJobItem,
  added: Pick<pb.AddedJob, 'jobId' | 'state'>,
): pb.Job {
  // Written out in one piece: this is made for every job that is added.
  return {
    queue: item.queue,
    jobId: added.jobId,
    name: item.name,
    state: added.state,
    data: item.data,
    dataOmitted: false,
    dataSize: item.data.length,
    options: item.options,
    attemptsMade: 0,
    attemptsStarted: 0,
    stalledCount: 0,
    createdAt: new Date(),
    processedAt: undefined,
    finishedAt: undefined,
    delay: item.options?.due?.$case === 'delay' ? item.options.due.value : undefined,
    priority: item.options?.priority ?? 0,
    parent: item.parent,
    schedulerId: '',
    deduplicationId: item.options?.deduplication?.id ?? '',
    headers: item.options?.headers ?? {},
    returnValue: NONE,
    failedReason: '',
    stackTrace: [],
    progress: NONE,
    processedBy: '',
  };
}
