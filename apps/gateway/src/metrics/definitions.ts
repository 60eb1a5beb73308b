/** One metric. Counters end in `_total`, spans are in seconds. */
export interface Definition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** `namespace` is empty for the default one, so that Prometheus leaves it out. */
const QUEUE = ['namespace', 'queue'] as const;

/** From the first moment to a day. */
const LONG = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400,
];
const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const CALL = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20, 60];

const counter = (help: string, labels: readonly string[] = QUEUE) =>
  ({ kind: 'counter', help, labels }) as const;
const gauge = (help: string, labels: readonly string[] = QUEUE) =>
  ({ kind: 'gauge', help, labels }) as const;
const histogram = (help: string, labels: readonly string[], buckets: readonly number[]) =>
  ({ kind: 'histogram', help, labels, buckets }) as const;

/** Every metric of the gateway's own: the one place that the registry, the docs and the tests of the dashboard go by. */
export const METRICS = {
  echomq_queue_jobs: gauge('Jobs of a queue by where they stand', [...QUEUE, 'state']),
  echomq_queue_backlog_jobs: gauge('Jobs that wait or run: what workers are needed for'),
  echomq_queue_oldest_waiting_seconds: gauge(
    'Age of the job that runs next, from when it was ready, or last ran; 0 where none waits',
  ),
  echomq_queue_read_errors_total: counter('Reads of queues for a scrape that failed', []),
  echomq_jobs_added_total: counter('Jobs added through this gateway, scheduled runs included'),
  echomq_jobs_started_total: counter('Jobs handed to workers'),
  echomq_jobs_completed_total: counter('Jobs that completed'),
  echomq_jobs_failed_total: counter('Jobs that failed for good'),
  echomq_jobs_retried_total: counter('Failed attempts that are tried again'),
  echomq_jobs_returned_total: counter(
    'Holds that ended without an attempt counted: delayed, released, parked for children, or unbegun: given back before a worker began',
    [...QUEUE, 'how'],
  ),
  echomq_jobs_stalled_total: counter(
    'Jobs taken from silent workers by the sweeps of this gateway',
  ),
  echomq_jobs_recovered_total: counter('Those of the stalled jobs that run again; the rest failed'),
  echomq_job_wait_seconds: histogram(
    'From when a job was ready to its first start, by the clock of the store; of a parent in a flow from its add',
    QUEUE,
    LONG,
  ),
  echomq_job_run_seconds: histogram(
    'From the delivery of a job to the stored end of that run, both at this gateway',
    QUEUE,
    LONG,
  ),
  echomq_worker_jobs_in_flight: gauge('Jobs that workers with a stream to this gateway hold', [
    'worker',
  ]),
  echomq_work_streams: gauge('Work streams that are open', []),
  echomq_locks_renewed_total: counter('Renewals of locks that found the lease alive'),
  echomq_locks_lost_total: counter('Leases found lost by a renewal, or that ran out before one'),
  echomq_redis_call_seconds: histogram(
    'Round trip to the store by script or command',
    ['operation'],
    SHORT,
  ),
  echomq_script_errors_total: counter('Scripts and commands that were refused or failed', [
    'operation',
    'reason',
  ]),
  echomq_rpc_total: counter('Calls that ended, streams included', ['method', 'status']),
  echomq_rpc_seconds: histogram(
    'How long unary calls took, long polls with their wait included',
    ['method'],
    CALL,
  ),
  echomq_rpc_in_progress: gauge('Calls and streams under way', ['method']),
  echomq_rpc_errors_total: counter('Errors that callers were answered with', ['reason']),
  echomq_ready: gauge('1 while the store is there and the gateway takes work', []),
  echomq_build_info: gauge('1, with the version of the gateway', ['version']),
} as const satisfies Readonly<Record<string, Definition>>;

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;
