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
  readonly children: readonly { readonly task: Task; readonly options: TaskOptions }[];
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
export function flowTree(queueName: string, { task, options, children }: Flow) {
  const node = (data: Task, opts: TaskOptions) => ({ name: 'task', queueName, data, opts });
  return {
    ...node(task, options),
    children: children.map((child) => node(child.task, child.options)),
  };
}
