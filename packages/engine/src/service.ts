import type * as pb from '@echomq/proto/messages';

/**
 * The seam between the engine and whoever brings calls to it: the gateway over gRPC, the SDK's embedded transport in
 * the same process. A unary method takes a message and resolves to a message or rejects with an `EchoMQError`, never
 * with anything else. Messages that come in are read, never changed; embedded callers may freeze them.
 */

/** What is known of a call besides its message. */
export interface CallContext {
  /** Aborts when the caller is gone, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting, ms since the epoch by this process's clock; absent: never. */
  readonly deadline?: number;
  /**
   * Who calls, by a name: what is remembered for one caller, such as a session, is not told to another. Absent: all
   * callers are one.
   */
  readonly principal?: string;
  /** Whether the caller may read a queue that its request does not name; absent: any. */
  readonly mayRead?: (queue: string) => boolean;
  /**
   * Takes back what the answer brings, should it not reach the caller although {@link signal} has not aborted: the
   * connection broke behind it. Absent: every answer arrives.
   */
  readonly onLost?: (takeBack: () => void) => void;
  /**
   * The caller is in this process, and names its requests so that no two of its own have one id: one that comes again
   * comes here. Receipts of its adds then need not outlive their answers.
   */
  readonly near?: boolean;
  /** Whether {@link signal} has aborted, for those that make one only when it is asked for. */
  readonly gone?: boolean;
}

/** A method with one message each way. */
export type Unary<Request, Response> = (
  request: Request,
  context: CallContext,
) => Promise<Response>;

/** A method that answers with a stream. The engine yields only when the consumer asks: backpressure for free. */
export type ServerStream<Request, Response> = (
  request: Request,
  context: CallContext,
) => AsyncIterable<Response>;

/** The server's end of a Work stream. */
export interface WorkLink {
  /**
   * What the worker sends, in order. Ends when the worker closes its side AND when the link breaks; only
   * `context.signal` tells the two apart, and only a `drain` message before the end makes it a clean one.
   */
  readonly requests: AsyncIterable<pb.WorkRequest>;
  /** Sends a message. False means that the peer's buffer is full now; the message is on its way all the same. */
  send(response: pb.WorkResponse): boolean;
  /** Whether the peer takes messages without their being piled up here. No job is taken for a link that does not. */
  readonly writable: boolean;
  /** Calls back each time that {@link writable} turns true. Returns the way to stop that. */
  onWritable(listener: () => void): () => void;
  /** The worker is in this process: no job waits at it for a slot, for the next one is never far. */
  readonly near?: boolean;
}

/** A Work stream: resolves when the stream ends in good order, rejects with the `EchoMQError` that ends it. */
export type Work = (link: WorkLink, context: CallContext) => Promise<void>;

/** ProducerService. */
export interface ProducerApi {
  addJob: Unary<pb.AddJobRequest, pb.AddJobResponse>;
  addJobs: Unary<pb.AddJobsRequest, pb.AddJobsResponse>;
  addFlow: Unary<pb.AddFlowRequest, pb.AddFlowResponse>;
  waitJob: Unary<pb.WaitJobRequest, pb.WaitJobResponse>;
}

/** WorkerService. */
export interface WorkerApi {
  fetchJobs: Unary<pb.FetchJobsRequest, pb.FetchJobsResponse>;
  finishJob: Unary<pb.FinishJobRequest, pb.FinishJobResponse>;
  finishJobs: Unary<pb.FinishJobsRequest, pb.FinishJobsResponse>;
  extendLocks: Unary<pb.ExtendLocksRequest, pb.ExtendLocksResponse>;
  updateProgress: Unary<pb.UpdateProgressRequest, pb.UpdateProgressResponse>;
  appendLogs: Unary<pb.AppendLogsRequest, pb.AppendLogsResponse>;
  updateJobData: Unary<pb.UpdateJobDataRequest, pb.UpdateJobDataResponse>;
  getChildrenValues: Unary<pb.GetChildrenValuesRequest, pb.GetChildrenValuesResponse>;
  getJobData: ServerStream<pb.GetJobDataRequest, pb.GetJobDataResponse>;
  work: Work;
}

/** QueueService. */
export interface QueueApi {
  listQueues: Unary<pb.ListQueuesRequest, pb.ListQueuesResponse>;
  getQueue: Unary<pb.GetQueueRequest, pb.GetQueueResponse>;
  getJobCounts: Unary<pb.GetJobCountsRequest, pb.GetJobCountsResponse>;
  getCountsPerPriority: Unary<pb.GetCountsPerPriorityRequest, pb.GetCountsPerPriorityResponse>;
  listJobs: Unary<pb.ListJobsRequest, pb.ListJobsResponse>;
  getJob: Unary<pb.GetJobRequest, pb.GetJobResponse>;
  getJobLogs: Unary<pb.GetJobLogsRequest, pb.GetJobLogsResponse>;
  getJobState: Unary<pb.GetJobStateRequest, pb.GetJobStateResponse>;
  getFlow: Unary<pb.GetFlowRequest, pb.GetFlowResponse>;
  promoteJob: Unary<pb.PromoteJobRequest, pb.PromoteJobResponse>;
  retryJob: Unary<pb.RetryJobRequest, pb.RetryJobResponse>;
  retryJobs: Unary<pb.RetryJobsRequest, pb.RetryJobsResponse>;
  promoteJobs: Unary<pb.PromoteJobsRequest, pb.PromoteJobsResponse>;
  removeJob: Unary<pb.RemoveJobRequest, pb.RemoveJobResponse>;
  cancelJob: Unary<pb.CancelJobRequest, pb.CancelJobResponse>;
  updateJobPriority: Unary<pb.UpdateJobPriorityRequest, pb.UpdateJobPriorityResponse>;
  updateJobDelay: Unary<pb.UpdateJobDelayRequest, pb.UpdateJobDelayResponse>;
  updateJobOptions: Unary<pb.UpdateJobOptionsRequest, pb.UpdateJobOptionsResponse>;
  setJobData: Unary<pb.SetJobDataRequest, pb.SetJobDataResponse>;
  setJobProgress: Unary<pb.SetJobProgressRequest, pb.SetJobProgressResponse>;
  addJobLogs: Unary<pb.AddJobLogsRequest, pb.AddJobLogsResponse>;
  clearJobLogs: Unary<pb.ClearJobLogsRequest, pb.ClearJobLogsResponse>;
  listChildren: Unary<pb.ListChildrenRequest, pb.ListChildrenResponse>;
  removeChildDependency: Unary<pb.RemoveChildDependencyRequest, pb.RemoveChildDependencyResponse>;
  removeUnprocessedChildren: Unary<
    pb.RemoveUnprocessedChildrenRequest,
    pb.RemoveUnprocessedChildrenResponse
  >;
  pauseQueue: Unary<pb.PauseQueueRequest, pb.PauseQueueResponse>;
  resumeQueue: Unary<pb.ResumeQueueRequest, pb.ResumeQueueResponse>;
  drainQueue: Unary<pb.DrainQueueRequest, pb.DrainQueueResponse>;
  cleanQueue: Unary<pb.CleanQueueRequest, pb.CleanQueueResponse>;
  obliterateQueue: Unary<pb.ObliterateQueueRequest, pb.ObliterateQueueResponse>;
  setRateLimit: Unary<pb.SetRateLimitRequest, pb.SetRateLimitResponse>;
  getRateLimit: Unary<pb.GetRateLimitRequest, pb.GetRateLimitResponse>;
  clearRateLimit: Unary<pb.ClearRateLimitRequest, pb.ClearRateLimitResponse>;
  holdQueue: Unary<pb.HoldQueueRequest, pb.HoldQueueResponse>;
  setConcurrency: Unary<pb.SetConcurrencyRequest, pb.SetConcurrencyResponse>;
  setQueueLimits: Unary<pb.SetQueueLimitsRequest, pb.SetQueueLimitsResponse>;
  getMetrics: Unary<pb.GetMetricsRequest, pb.GetMetricsResponse>;
  listWorkers: Unary<pb.ListWorkersRequest, pb.ListWorkersResponse>;
  getDeduplicationJob: Unary<pb.GetDeduplicationJobRequest, pb.GetDeduplicationJobResponse>;
  removeDeduplicationKey: Unary<
    pb.RemoveDeduplicationKeyRequest,
    pb.RemoveDeduplicationKeyResponse
  >;
  trimEvents: Unary<pb.TrimEventsRequest, pb.TrimEventsResponse>;
  inspectQueue: Unary<pb.InspectQueueRequest, pb.InspectQueueResponse>;
  repairQueue: Unary<pb.RepairQueueRequest, pb.RepairQueueResponse>;
}

/** SchedulerService. */
export interface SchedulerApi {
  upsertScheduler: Unary<pb.UpsertSchedulerRequest, pb.UpsertSchedulerResponse>;
  getScheduler: Unary<pb.GetSchedulerRequest, pb.GetSchedulerResponse>;
  listSchedulers: Unary<pb.ListSchedulersRequest, pb.ListSchedulersResponse>;
  removeScheduler: Unary<pb.RemoveSchedulerRequest, pb.RemoveSchedulerResponse>;
  previewSchedule: Unary<pb.PreviewScheduleRequest, pb.PreviewScheduleResponse>;
}

/** EventService. */
export interface EventApi {
  subscribe: ServerStream<pb.SubscribeRequest, pb.SubscribeResponse>;
  pollEvents: Unary<pb.PollEventsRequest, pb.PollEventsResponse>;
}

/** GatewayService. */
export interface GatewayApi {
  getServerInfo: Unary<pb.GetServerInfoRequest, pb.GetServerInfoResponse>;
}

/** All services of `echomq.v1`. */
export interface Services {
  readonly producer: ProducerApi;
  readonly worker: WorkerApi;
  readonly queue: QueueApi;
  readonly scheduler: SchedulerApi;
  readonly event: EventApi;
  readonly gateway: GatewayApi;
}
