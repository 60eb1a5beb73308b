/** What the gateway tells the page: the answers of `show`. Times in ms since the epoch. */

/** Where jobs are, in the order in which the page shows it. */
export const STATES = [
  'waiting',
  'prioritized',
  'delayed',
  'active',
  'waiting-children',
  'completed',
  'failed',
] as const;

/** One of {@link STATES}. */
export type State = (typeof STATES)[number];

/** Jobs per state. */
export type Counts = Readonly<Partial<Record<string, number>>>;

/** Who is signed in. */
export interface Session {
  readonly name: string;
  readonly namespace: string;
  readonly open: boolean;
  readonly version: string;
}

/** A queue in the overview. */
export interface QueueRow {
  readonly queue: string;
  readonly paused: boolean;
  readonly problem: string;
  readonly counts?: Counts;
}

/** The overview. */
export interface Queues {
  readonly queues: readonly QueueRow[];
  readonly nextPageToken: string;
}

/** Jobs that finished per minute, oldest first. */
export interface Throughput {
  readonly newestAt: number;
  readonly completed: readonly number[];
  readonly failed: readonly number[];
}

/** The head of a queue's page. */
export interface QueueInfo {
  readonly queue: string;
  readonly paused: boolean;
  readonly maxed: boolean;
  readonly concurrency?: number;
  readonly rateLimit?: { readonly max: number; readonly durationMs: number };
  readonly version: string;
  readonly mayChange: boolean;
  readonly counts: Counts;
  readonly throughput?: Throughput;
}

/** A job in a list. */
export interface JobRow {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly createdAt?: number;
  readonly processedAt?: number;
  readonly finishedAt?: number;
  readonly delayMs: number;
  readonly priority: number;
  readonly attemptsMade: number;
  readonly attempts: number;
  readonly failedReason: string;
  readonly schedulerId: string;
  readonly processedBy: string;
}

/** A page of a list. */
export interface Jobs {
  readonly jobs: readonly JobRow[];
  readonly nextPageToken: string;
  readonly lookedAt: number;
}

/** A stored payload. */
export interface Payload {
  readonly text: string;
  /** There is more of it than is shown. */
  readonly cut: boolean;
}

/** A job in the tree of its flow. */
export interface FlowNode {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly more: number;
  readonly children: readonly FlowNode[];
}

/** One job. */
export interface JobDetail extends JobRow {
  readonly attemptsStarted: number;
  readonly stalledCount: number;
  readonly parent?: { readonly queue: string; readonly jobId: string };
  readonly deduplicationId: string;
  readonly data?: Payload;
  readonly dataSize: number;
  readonly omitted: boolean;
  readonly result?: Payload;
  readonly progress?: Payload;
  readonly stacks: readonly string[];
  readonly options?: string;
  readonly mayChange: boolean;
  readonly logs: { readonly lines: readonly string[]; readonly total: number };
  readonly flow?: FlowNode;
}

/** A page of a job's log. */
export interface Logs {
  readonly lines: readonly string[];
  readonly total: number;
  readonly nextPageToken: string;
}

/** The schedulers of a queue. */
export interface Schedulers {
  readonly schedulers: readonly {
    readonly id: string;
    readonly everyMs?: number;
    readonly cron?: string;
    readonly timeZone?: string;
    readonly limit?: number;
    readonly endAt?: number;
    readonly jobName?: string;
    readonly nextRun?: number;
    readonly nextJobId: string;
    readonly iterations: number;
  }[];
  readonly nextPageToken: string;
  readonly total: number;
}

/** Who works. */
export interface Workers {
  readonly workers: readonly {
    readonly session: string;
    readonly name: string;
    readonly host: string;
    readonly pid: number;
    readonly sdk: string;
    readonly queues: readonly string[];
    readonly startedAt?: number;
    readonly heardAt?: number;
    readonly lagMs?: number;
    readonly running: number;
    readonly capacity: number;
    readonly held: readonly { readonly queue: string; readonly id: string }[];
  }[];
  readonly nextPageToken: string;
}

/** All views by their names. */
export interface Views {
  readonly queues: Queues;
  readonly queue: QueueInfo;
  readonly jobs: Jobs;
  readonly job: JobDetail;
  readonly logs: Logs;
  readonly schedulers: Schedulers;
  readonly workers: Workers;
}
