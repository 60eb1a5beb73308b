import type { QueueApi } from '../../service.js';
import { unavailable } from '../unavailable.js';
import { getJob } from './getJob.js';
import { getJobCounts } from './getJobCounts.js';
import { getJobLogs } from './getJobLogs.js';
import { getJobState } from './getJobState.js';
import { getQueue } from './getQueue.js';
import { listJobs } from './listJobs.js';
import { listQueues } from './listQueues.js';
import type { QueueDeps } from './named-job.js';
import { pauseQueue } from './pauseQueue.js';
import { promoteJob } from './promoteJob.js';
import { removeJob } from './removeJob.js';
import { resumeQueue } from './resumeQueue.js';
import { retryJob } from './retryJob.js';

/** QueueService: reads, and the changes of single jobs and of the gate. */
export function queueService(deps: QueueDeps): QueueApi {
  return {
    listQueues: listQueues(deps),
    getQueue: getQueue(deps),
    getJobCounts: getJobCounts(deps),
    getCountsPerPriority: unavailable('GetCountsPerPriority'),
    listJobs: listJobs(deps),
    getJob: getJob(deps),
    getJobLogs: getJobLogs(deps),
    getJobState: getJobState(deps),
    getFlow: unavailable('GetFlow'),
    promoteJob: promoteJob(deps),
    retryJob: retryJob(deps),
    retryJobs: unavailable('RetryJobs'),
    promoteJobs: unavailable('PromoteJobs'),
    removeJob: removeJob(deps),
    cancelJob: unavailable('CancelJob'),
    updateJobPriority: unavailable('UpdateJobPriority'),
    updateJobDelay: unavailable('UpdateJobDelay'),
    updateJobOptions: unavailable('UpdateJobOptions'),
    pauseQueue: pauseQueue(deps),
    resumeQueue: resumeQueue(deps),
    drainQueue: unavailable('DrainQueue'),
    cleanQueue: unavailable('CleanQueue'),
    obliterateQueue: unavailable('ObliterateQueue'),
    setRateLimit: unavailable('SetRateLimit'),
    getRateLimit: unavailable('GetRateLimit'),
    clearRateLimit: unavailable('ClearRateLimit'),
    setConcurrency: unavailable('SetConcurrency'),
    setQueueLimits: unavailable('SetQueueLimits'),
    getMetrics: unavailable('GetMetrics'),
    listWorkers: unavailable('ListWorkers'),
    removeDeduplicationKey: unavailable('RemoveDeduplicationKey'),
    trimEvents: unavailable('TrimEvents'),
  };
}
