import type { JsonObject } from '@bufbuild/protobuf';
import { base64 } from './wire.js';

/** What a request is about; the job need not exist. */
export interface About {
  readonly queue: string;
  readonly jobId?: string;
  readonly token?: string;
}

/** A request of every rpc that is in order, about one queue and one job. */
export function requestsAbout({ queue, jobId = 'no-such', token = 'nobody' }: About) {
  const lease = { queue, jobId, leaseToken: token };
  const job = { queue, jobId };
  const worker = { workerId: 'w', sessionId: `session-of-${queue}` };
  const every = { every: '3600s' };
  const complete = { complete: { returnValue: base64('1') } };
  return {
    AddJob: { queue, name: 'n' },
    AddJobs: { queue, items: [{ name: 'n' }], mode: 'ADD_MODE_ATOMIC' },
    AddFlow: { root: { queue, name: 'n' } },
    WaitJob: { ...job, wait: '1s' },
    FetchJobs: { queue, worker, maxJobs: 1, wait: '0s' },
    FinishJob: { lease, outcome: complete },
    FinishJobs: { items: [{ lease, outcome: complete }] },
    ExtendLocks: { worker, leases: [lease] },
    UpdateProgress: { lease, progress: base64('1') },
    AppendLogs: { lease, lines: ['line'] },
    UpdateJobData: { lease, data: base64('{}') },
    GetChildrenValues: { lease },
    GetJobData: { job },
    Work: { open: { worker, subscriptions: [{ queue, maxInFlight: 1 }] } },
    ListQueues: {},
    GetQueue: { queue },
    GetJobCounts: { queue },
    GetCountsPerPriority: { queue, priorities: [1] },
    ListJobs: { queue },
    GetJob: job,
    GetJobLogs: job,
    GetJobState: job,
    GetFlow: { job },
    PromoteJob: job,
    RetryJob: { ...job, state: 'JOB_STATE_FAILED' },
    RetryJobs: { queue, state: 'JOB_STATE_FAILED' },
    PromoteJobs: { queue },
    RemoveJob: job,
    CancelJob: job,
    UpdateJobPriority: { ...job, priority: 1 },
    UpdateJobDelay: { ...job, delay: '1s' },
    UpdateJobOptions: { ...job, options: { attempts: 2 } },
    SetJobData: { ...job, data: base64('{}') },
    SetJobProgress: { ...job, progress: base64('1') },
    AddJobLogs: { ...job, lines: ['line'] },
    ClearJobLogs: job,
    ListChildren: { ...job, filter: 'CHILD_FILTER_PENDING' },
    RemoveChildDependency: job,
    RemoveUnprocessedChildren: job,
    HoldQueue: { queue, duration: '1s' },
    GetDeduplicationJob: { queue, deduplicationId: 'd' },
    PauseQueue: { queue },
    ResumeQueue: { queue },
    DrainQueue: { queue },
    CleanQueue: { queue, state: 'JOB_STATE_FAILED', limit: 10 },
    ObliterateQueue: { queue, confirmQueue: queue },
    SetRateLimit: { queue, rateLimit: { max: 1, duration: '1s' } },
    GetRateLimit: { queue },
    ClearRateLimit: { queue },
    SetConcurrency: { queue, max: 1 },
    SetQueueLimits: { queue, limits: { maxJobs: 10 } },
    GetMetrics: { queue, kind: 'METRICS_KIND_COMPLETED' },
    ListWorkers: { queue },
    RemoveDeduplicationKey: { queue, deduplicationId: 'd' },
    TrimEvents: { queue, maxEvents: 10 },
    InspectQueue: { queue },
    RepairQueue: { queue },
    UpsertScheduler: { queue, schedulerId: 's', schedule: every, template: { name: 'n' } },
    GetScheduler: { queue, schedulerId: 's' },
    ListSchedulers: { queue },
    RemoveScheduler: { queue, schedulerId: 's' },
    PreviewSchedule: { schedule: every, count: 1 },
    Subscribe: { queue },
    PollEvents: { queue, wait: '0s' },
    GetServerInfo: {},
  } satisfies Record<string, JsonObject>;
}

/** The name of an rpc. */
export type Rpc = keyof ReturnType<typeof requestsAbout>;
