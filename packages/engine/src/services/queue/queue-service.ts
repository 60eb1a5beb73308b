import type { QueueApi } from '../../service.js';
import { addJobLogs } from './addJobLogs.js';
import { cancelJob } from './cancelJob.js';
import { cleanQueue } from './cleanQueue.js';
import { clearJobLogs } from './clearJobLogs.js';
import { clearRateLimit } from './clearRateLimit.js';
import { drainQueue } from './drainQueue.js';
import { getCountsPerPriority } from './getCountsPerPriority.js';
import { getDeduplicationJob } from './getDeduplicationJob.js';
import { getFlow } from './getFlow.js';
import { getJob } from './getJob.js';
import { getJobCounts } from './getJobCounts.js';
import { getJobLogs } from './getJobLogs.js';
import { getJobState } from './getJobState.js';
import { getMetrics } from './getMetrics.js';
import { getQueue } from './getQueue.js';
import { getRateLimit } from './getRateLimit.js';
import { holdQueue } from './holdQueue.js';
import { inspectQueue } from './inspectQueue.js';
import { listChildren } from './listChildren.js';
import { listJobs } from './listJobs.js';
import { listQueues } from './listQueues.js';
import { listWorkers } from './listWorkers.js';
import type { GateDeps, QueueDeps } from './named-job.js';
import { obliterateQueue } from './obliterateQueue.js';
import { pauseQueue } from './pauseQueue.js';
import { promoteJob } from './promoteJob.js';
import { promoteJobs } from './promoteJobs.js';
import { removeChildDependency } from './removeChildDependency.js';
import { removeDeduplicationKey } from './removeDeduplicationKey.js';
import { removeJob } from './removeJob.js';
import { removeUnprocessedChildren } from './removeUnprocessedChildren.js';
import { repairQueue, type StallSettings } from './repairQueue.js';
import { resumeQueue } from './resumeQueue.js';
import { retryJob } from './retryJob.js';
import { retryJobs } from './retryJobs.js';
import { setConcurrency } from './setConcurrency.js';
import { setJobData } from './setJobData.js';
import { setJobProgress } from './setJobProgress.js';
import { setQueueLimits } from './setQueueLimits.js';
import { setRateLimit } from './setRateLimit.js';
import { trimEvents } from './trimEvents.js';
import { updateJobDelay } from './updateJobDelay.js';
import { updateJobOptions } from './updateJobOptions.js';
import { updateJobPriority } from './updateJobPriority.js';

/**
 * QueueService.
 *
 * @param onGateChange told of each queue whose gate or limit has just changed.
 * @param stalls how a repair gives back what nobody holds.
 */
export function queueService(
  deps: QueueDeps,
  onGateChange: GateDeps['onGateChange'] = () => undefined,
  stalls: StallSettings = { maxStalledCount: 1, stalledIntervalMs: 30_000 },
): QueueApi {
  const gate = { ...deps, onGateChange };
  return {
    listQueues: listQueues(deps),
    getQueue: getQueue(deps),
    getJobCounts: getJobCounts(deps),
    getCountsPerPriority: getCountsPerPriority(deps),
    listJobs: listJobs(deps),
    getJob: getJob(deps),
    getJobLogs: getJobLogs(deps),
    getJobState: getJobState(deps),
    getFlow: getFlow(deps),
    promoteJob: promoteJob(deps),
    retryJob: retryJob(deps),
    retryJobs: retryJobs(deps),
    promoteJobs: promoteJobs(deps),
    removeJob: removeJob(deps),
    cancelJob: cancelJob(deps),
    updateJobPriority: updateJobPriority(deps),
    updateJobDelay: updateJobDelay(deps),
    updateJobOptions: updateJobOptions(deps),
    setJobData: setJobData(deps),
    setJobProgress: setJobProgress(deps),
    addJobLogs: addJobLogs(deps),
    clearJobLogs: clearJobLogs(deps),
    listChildren: listChildren(deps),
    removeChildDependency: removeChildDependency(deps),
    removeUnprocessedChildren: removeUnprocessedChildren(deps),
    pauseQueue: pauseQueue(gate),
    resumeQueue: resumeQueue(deps),
    drainQueue: drainQueue(deps),
    cleanQueue: cleanQueue(deps),
    obliterateQueue: obliterateQueue(deps),
    setRateLimit: setRateLimit(gate),
    getRateLimit: getRateLimit(deps),
    clearRateLimit: clearRateLimit(gate),
    holdQueue: holdQueue(gate),
    setConcurrency: setConcurrency(gate),
    setQueueLimits: setQueueLimits(deps),
    getMetrics: getMetrics(deps),
    listWorkers: listWorkers(deps),
    getDeduplicationJob: getDeduplicationJob(deps),
    removeDeduplicationKey: removeDeduplicationKey(deps),
    trimEvents: trimEvents(deps),
    inspectQueue: inspectQueue(deps),
    repairQueue: repairQueue(deps, stalls),
  };
}
