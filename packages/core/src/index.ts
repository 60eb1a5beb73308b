/**
 * The core: one binding per transition over Redis. It knows nothing of RPC, timers, environment or logging; it speaks
 * to Redis through a {@link RedisClient}, which `@echomq/core/ioredis` makes from a URL.
 */
export { REJECTIONS, type Rejection, SCRIPTS } from '@echomq/lua';
export { addJob } from './add-job.js';
export type { CommandHead } from './command-head.js';
export * from './errors.js';
export {
  jobFromFlat,
  jobFromValues,
  OPTION_FIELDS,
  type StoredJob,
  SUMMARY_FIELDS,
} from './job-fields.js';
export type { JobWriter } from './job-writer.js';
export { hasHashTag, prefixProblem, QueueKeys, type QueueTag, storedQueueName } from './keys.js';
export type { AddOutcome, AddResult, Deduplication, NewJob } from './new-job.js';
export type {
  FetchingWorker,
  FetchOutcome,
  FinishBranch,
  FinishOutcome,
  RateLimit,
} from './outcomes.js';
export { getCounts, type JobCounts } from './queries/getCounts.js';
export { getCountsPerPriority } from './queries/getCountsPerPriority.js';
export { type DependencyCounts, getDependencyCounts } from './queries/getDependencyCounts.js';
export { getJob, getJobInState, getJobSummary, type JobInState } from './queries/getJob.js';
export { getRanges, locationKey, type Range } from './queries/getRanges.js';
export { getState, type JobState } from './queries/getState.js';
export { inspectJob, type JobFacts } from './queries/inspectJob.js';
export { type InspectedKeys, inspectKeys } from './queries/inspectKeys.js';
export {
  inspectLocation,
  LOCATION_NAMES,
  type LocationName,
  type LocationPart,
} from './queries/inspectLocation.js';
export type { Ending, FetchReceipt, HeldJob, Receipt, ReplayGuard } from './receipts.js';
export * from './redis-client.js';
export { rejectionOf, TransitionRejected } from './rejections.js';
export type { RunTemplate, ScheduledRun } from './schedule-template.js';
export { Store, type StoreWatch } from './store.js';
export { addBatch } from './transitions/addBatch.js';
export { addDelayedJob } from './transitions/addDelayedJob.js';
export { addFlow, type FlowNode, type FlowOutcome } from './transitions/addFlow.js';
export { addJobScheduler, type SchedulerUpsert } from './transitions/addJobScheduler.js';
export { addJobs, BatchRejected } from './transitions/addJobs.js';
export { addLogs, type LogRows } from './transitions/addLogs.js';
export { addPrioritizedJob } from './transitions/addPrioritizedJob.js';
export { addStandardJob } from './transitions/addStandardJob.js';
export { type Cancellation, type CancelOutcome, cancelJob } from './transitions/cancelJob.js';
export { changeDelay, type DelayChange } from './transitions/changeDelay.js';
export { changePriority, type PriorityChange } from './transitions/changePriority.js';
export { type Clean, cleanJobsInSet } from './transitions/cleanJobsInSet.js';
export { drain } from './transitions/drain.js';
export { extendLock } from './transitions/extendLock.js';
export { extendLocks, type LeaseRenewal, type RenewalOutcome } from './transitions/extendLocks.js';
export { type Move, type Moved, moveBatch } from './transitions/moveBatch.js';
export { moveJobFromActiveToWait, type Release } from './transitions/moveJobFromActiveToWait.js';
export { type BulkMove, moveJobsToWait } from './transitions/moveJobsToWait.js';
export {
  moveStalledJobsToWait,
  type SweepOptions,
  type SweepOutcome,
} from './transitions/moveStalledJobsToWait.js';
export { moveToActive } from './transitions/moveToActive.js';
export { type Delay, moveToDelayed } from './transitions/moveToDelayed.js';
export { type Finish, type FinishOptions, moveToFinished } from './transitions/moveToFinished.js';
export { type AwaitChildren, moveToWaitingChildren } from './transitions/moveToWaitingChildren.js';
export { type NotedWorker, noteWorkers } from './transitions/noteWorkers.js';
export { obliterate } from './transitions/obliterate.js';
export { pause } from './transitions/pause.js';
export { promote } from './transitions/promote.js';
export { type Promotion, promoteDueJobs } from './transitions/promoteDueJobs.js';
export { removeChildDependency } from './transitions/removeChildDependency.js';
export { removeDeduplicationKey } from './transitions/removeDeduplicationKey.js';
export { type Removal, removeJob } from './transitions/removeJob.js';
export { removeJobScheduler } from './transitions/removeJobScheduler.js';
export { removeUnprocessedChildren } from './transitions/removeUnprocessedChildren.js';
export { type JobFault, repairJob } from './transitions/repairJob.js';
export { type QueueFault, repairQueue } from './transitions/repairQueue.js';
export { type FetchReplay, type ReplayedFetch, replayFetch } from './transitions/replayFetch.js';
export { type Reprocess, reprocessJob } from './transitions/reprocessJob.js';
export { resume } from './transitions/resume.js';
export { type Retry, retryJob } from './transitions/retryJob.js';
export { type DataUpdate, updateData } from './transitions/updateData.js';
export { type OptionsUpdate, updateJobOptions } from './transitions/updateJobOptions.js';
export { type TakenRun, updateJobScheduler } from './transitions/updateJobScheduler.js';
export { type ProgressUpdate, updateProgress } from './transitions/updateProgress.js';
