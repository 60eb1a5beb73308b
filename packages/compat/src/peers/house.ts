/** What a job of a mixed run carries. */
export interface Task {
  /** Names the job whatever id it gets. */
  readonly key: string;
  /** How often it fails before it succeeds; more often than it has attempts: it fails for good. */
  readonly fails: number;
}

/** Options that every producer of a mixed run knows. */
export interface TaskOptions {
  readonly jobId?: string;
  readonly delay?: number;
  readonly priority?: number;
  readonly attempts?: number;
  readonly backoff?: { readonly type: 'fixed'; readonly delay: number };
  readonly lifo?: boolean;
  readonly removeOnComplete?: boolean;
  /** Of a child: its final failure fails its parent. */
  readonly failParentOnFailure?: boolean;
  /** Of a child: its parent does without it once it has failed for good. */
  readonly ignoreDependencyOnFailure?: boolean;
}

/** A run as a worker sees it. */
export interface Run {
  readonly id: string;
  readonly task: Task;
  /** Attempts made before this one. */
  readonly attemptsMade: number;
}

/** Does the work of a run: its result, or an error that fails it. */
export type Work = (run: Run) => Promise<unknown>;

/** One system's producers and workers at a queue that others use as well. */
export interface House {
  /** Adds a job. Returns its id. */
  add(task: Task, options?: TaskOptions): Promise<string>;
  /** Starts a worker; it ends with the house. */
  work(work: Work): void;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the workers, each after its run, then everything else. */
  close(): Promise<void>;
}

/** A job that waits for others. */
export interface Flow {
  readonly task: Task;
  readonly options: TaskOptions;
  readonly children?: readonly Flow[];
}

/** A job that comes again and again. */
export interface Schedule {
  readonly id: string;
  readonly everyMs: number;
  /** How often in all. */
  readonly limit: number;
  readonly task: Task;
}

/** A house that can add all kinds of jobs. */
export interface FullHouse extends House {
  /** Adds a flow in one step. */
  addFlow(flow: Flow): Promise<void>;
  schedule(schedule: Schedule): Promise<void>;
  /** Removes a schedule that has run out, or not. */
  unschedule(id: string): Promise<void>;
}

/** A flow as the producers of BullMQ and of EchoMQ take it. */
export interface FlowTree {
  readonly name: string;
  readonly queueName: string;
  readonly data: Task;
  readonly opts: TaskOptions;
  readonly children?: FlowTree[];
}

/** The flow with all its jobs in one queue. */
export function flowTree(queueName: string, { task, options, children = [] }: Flow): FlowTree {
  const node = { name: 'task', queueName, data: task, opts: options };
  if (children.length === 0) return node;
  return { ...node, children: children.map((child) => flowTree(queueName, child)) };
}
