/** What both entries offer: everything but the way to connect. */
export { Connection } from './connection.js';
export {
  AccessDenied,
  DeadlineExceeded,
  EchoMQError,
  type ErrorDetails,
  InvalidRequest,
  JobCancelled,
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
  WorkerClosed,
} from './errors.js';
export { AddedJob, type AddOutcome } from './job/added-job.js';
export { Job, type LogsOptions } from './job/job.js';
export type { RemoveOptions, RetryOptions } from './job/job-calls.js';
export type {
  BackoffOptions,
  DeduplicationOptions,
  JobsOptions,
  KeepJobs,
} from './job/job-options.js';
export type { JobState } from './job/job-state.js';
export type { BulkItem } from './queue/add-items.js';
export type { JobPage, JobsOfPage, ListOptions } from './queue/list-jobs.js';
export { Queue, type QueueOptions } from './queue/queue.js';
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
  Handler,
  HandlerContext,
  WorkerEvents,
  WorkerOptions,
} from './worker/worker-options.js';
