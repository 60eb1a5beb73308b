import type { Service } from './transport.js';

/** Calls that change nothing, or the same again. Only these are safe to repeat without a request id. */
export const REPEATABLE: Readonly<Partial<Record<Service, readonly string[]>>> = {
  producer: ['waitJob'],
  worker: ['extendLocks', 'getChildrenValues', 'updateProgress', 'updateJobData'],
  queue: [
    ...['listQueues', 'getQueue', 'getJobCounts', 'getCountsPerPriority', 'listJobs', 'getJob'],
    ...['getJobLogs', 'getJobState', 'getFlow', 'getRateLimit', 'getMetrics', 'listWorkers'],
    ...['pauseQueue', 'resumeQueue', 'setRateLimit', 'clearRateLimit', 'setConcurrency'],
    ...['setQueueLimits', 'setJobData', 'setJobProgress', 'listChildren', 'getDeduplicationJob'],
    ...['clearJobLogs', 'inspectQueue'],
  ],
  scheduler: ['upsertScheduler', 'getScheduler', 'listSchedulers', 'previewSchedule'],
  event: ['pollEvents'],
  gateway: ['getServerInfo'],
};

/** Whether a call may be repeated without a request id. */
export function isRepeatable(service: Service, method: string): boolean {
  return REPEATABLE[service]?.includes(method) ?? false;
}
