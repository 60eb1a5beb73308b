import type { TransitionCases } from '../oracle/oracle-case.js';
import { addBatch } from './addBatch.js';
import { addDelayedJob } from './addDelayedJob.js';
import { addFlow } from './addFlow.js';
import { addJobScheduler } from './addJobScheduler.js';
import { addJobs } from './addJobs.js';
import { addLogs } from './addLogs.js';
import { addPrioritizedJob } from './addPrioritizedJob.js';
import { addStandardJob } from './addStandardJob.js';
import { cancelJob } from './cancelJob.js';
import { changeDelay } from './changeDelay.js';
import { changePriority } from './changePriority.js';
import { cleanJobsInSet } from './cleanJobsInSet.js';
import { drain } from './drain.js';
import { extendLock } from './extendLock.js';
import { extendLocks } from './extendLocks.js';
import { getCounts } from './getCounts.js';
import { getCountsPerPriority } from './getCountsPerPriority.js';
import { getDependencyCounts } from './getDependencyCounts.js';
import { getJob } from './getJob.js';
import { getRanges } from './getRanges.js';
import { getState } from './getState.js';
import { inspectJob } from './inspectJob.js';
import { inspectKeys } from './inspectKeys.js';
import { inspectLocation } from './inspectLocation.js';
import { moveBatch } from './moveBatch.js';
import { moveJobFromActiveToWait } from './moveJobFromActiveToWait.js';
import { moveJobsToWait } from './moveJobsToWait.js';
import { moveStalledJobsToWait } from './moveStalledJobsToWait.js';
import { moveToActive } from './moveToActive.js';
import { moveToDelayed } from './moveToDelayed.js';
import { moveToFinished } from './moveToFinished/index.js';
import { moveToWaitingChildren } from './moveToWaitingChildren.js';
import { noteWorkers } from './noteWorkers.js';
import { obliterate } from './obliterate.js';
import { pause } from './pause.js';
import { promote } from './promote.js';
import { promoteDueJobs } from './promoteDueJobs.js';
import { removeChildDependency } from './removeChildDependency.js';
import { removeDeduplicationKey } from './removeDeduplicationKey.js';
import { removeJob } from './removeJob.js';
import { removeJobScheduler } from './removeJobScheduler.js';
import { removeUnprocessedChildren } from './removeUnprocessedChildren.js';
import { repairJob } from './repairJob.js';
import { repairQueue } from './repairQueue.js';
import { replayFetch } from './replayFetch.js';
import { reprocessJob } from './reprocessJob.js';
import { resume } from './resume.js';
import { retryJob } from './retryJob.js';
import { updateData } from './updateData.js';
import { updateJobOptions } from './updateJobOptions.js';
import { updateJobScheduler } from './updateJobScheduler.js';
import { updateProgress } from './updateProgress.js';

/** Every case of the oracle, by transition and query. */
export const CASES: readonly TransitionCases[] = [
  addStandardJob,
  addDelayedJob,
  addPrioritizedJob,
  addBatch,
  addJobs,
  addFlow,
  addJobScheduler,
  updateJobScheduler,
  removeJobScheduler,
  moveToActive,
  replayFetch,
  moveToFinished,
  retryJob,
  moveToDelayed,
  moveBatch,
  moveJobFromActiveToWait,
  moveToWaitingChildren,
  moveStalledJobsToWait,
  extendLock,
  extendLocks,
  promote,
  promoteDueJobs,
  changeDelay,
  changePriority,
  reprocessJob,
  moveJobsToWait,
  removeJob,
  cancelJob,
  removeUnprocessedChildren,
  removeChildDependency,
  removeDeduplicationKey,
  drain,
  cleanJobsInSet,
  obliterate,
  pause,
  resume,
  updateData,
  updateJobOptions,
  updateProgress,
  addLogs,
  noteWorkers,
  repairJob,
  repairQueue,
  getCounts,
  getCountsPerPriority,
  getDependencyCounts,
  getRanges,
  getState,
  getJob,
  inspectLocation,
  inspectKeys,
  inspectJob,
];
