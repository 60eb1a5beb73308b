/** What both entries offer: everything but the way to connect. */
export { Connection } from './connection.js';
export {
  AccessDenied,
  DeadlineExceeded,
  EchoMQError,
  type ErrorDetails,
  InvalidRequest,
  JobCancelled,
  JobFailed,
  JobNotFound,
  JobNotInState,
  LeaseLost,
  NotSupported,
  OutcomeUnknown,
  Overloaded,
  PayloadTooLarge,
  QueueNotFound,
  type StatusCode,
  Unavailable,
  WaitTimedOut,
  WorkerClosed,
} from './errors.js';
export type { EventStart } from './events/event-start.js';
export type { KnownEventName } from './events/event-types.js';
export type {
  EventsGap,
  QueueEvent,
  QueueEventArgs,
  QueueEventName,
} from './events/queue-event.js';
export { QueueEvents } from './events/queue-events.js';
export type { QueueEventsEvents, QueueEventsOptions } from './events/queue-events-options.js';
export type { FlowJob, FlowOptions, FlowTree, JobNode } from './flow/flow-job.js';
export {
  FlowProducer,
  type FlowProducerOptions,
  type GetFlowOptions,
} from './flow/flow-producer.js';
export { AddedJob, type AddOutcome } from './job/added-job.js';
export type { Dependencies, DependenciesCount } from './job/dependencies.js';
export { Job, type LogsOptions } from './job/job.js';
export type {
  CancelOptions,
  CancelOutcome,
  PriorityOptions,
  RemoveOptions,
  RetryOptions,
} from './job/job-calls.js';
export type {
  BackoffOptions,
  DeduplicationOptions,
  JobsOptions,
  KeepJobs,
} from './job/job-options.js';
export type { JobState } from './job/job-state.js';
export type { JobLogs } from './job/logs.js';
export { ScheduledJob } from './job/scheduled-job.js';
export type { WaitOptions } from './job/wait-for-end.js';
export type { PageOf, PageOptions, Pages } from './paging/pages.js';
export type { BulkItem } from './queue/add-items.js';
export type { FaultKind, InspectOptions, QueueFault, QueueRepair } from './queue/inspection.js';
export type { JobPage, JobsOfPage, ListOptions } from './queue/list-jobs.js';
export type { QueueSummary } from './queue/list-queues.js';
export type { WorkerRecord } from './queue/list-workers.js';
export type { Metrics } from './queue/metrics.js';
export { Queue } from './queue/queue.js';
export type { QueueOptions } from './queue/queue-base.js';
export type {
  ObliterateOptions,
  PromoteJobsOptions,
  RetryJobsOptions,
} from './queue/queue-bulk.js';
export type { QueueLimits, QueueMeta } from './queue/queue-meta.js';
export type { PreviewOptions } from './queue/queue-schedulers.js';
export type { RepeatOptions } from './schedulers/repeat-options.js';
export type { JobSchedulerJson } from './schedulers/scheduler-json.js';
export type { JobTemplate } from './schedulers/template.js';
export type { SpanFacts, SpanRequest, Telemetry, TelemetrySpan } from './telemetry/telemetry.js';
export { SDK_VERSION } from './version.js';
export { ActiveJob } from './worker/active-job.js';
export {
  DelayedError,
  RateLimitError,
  UnrecoverableError,
  WaitingChildrenError,
} from './worker/control-errors.js';
export { type CloseOptions, Worker } from './worker/worker.js';
export type {
  BackoffStrategy,
  Handler,
  HandlerContext,
  WorkerEvents,
  WorkerOptions,
} from './worker/worker-options.js';
