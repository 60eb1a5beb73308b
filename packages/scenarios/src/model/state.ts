/** What the options of a model's job say; the names are those of the wire. */
export interface ModelOptions {
  readonly attempts?: number;
  /** Fixed, ms. */
  readonly backoff?: number;
  readonly removeOnComplete?: Keep;
  readonly removeOnFail?: Keep;
  readonly lifo?: boolean;
  readonly delay?: number;
  readonly priority?: number;
}

/** What stays of finished jobs: none, all, so many, or those of so many seconds. */
export type Keep = boolean | number | { readonly age: number };

/** What a child's failure does to its parent. */
export type Policy = 'fpof' | 'cpof' | 'idof' | 'rdof' | 'none';

/** A job as the model knows it. */
export interface ModelJob {
  readonly id: string;
  readonly options: ModelOptions;
  readonly timestamp: number;
  readonly dedup: string | undefined;
  readonly scheduler: string | undefined;
  /** Which run of its scheduler it is. */
  priority: number;
  delay: number;
  parent: { readonly id: string; readonly policy: Policy } | undefined;
  made: number;
  started: number;
  stalls: number;
  deferred?: string | undefined;
  processedOn?: number | undefined;
  finishedOn?: number | undefined;
  result?: string | undefined;
  reason?: string | undefined;
  progress?: string | undefined;
  logs: number;
  /** The run that is to be cancelled, by when it began; '' for one that never did. */
  cancel?: string | undefined;
  /** The run that its worker has not begun yet, by when it was taken. */
  unbegun?: number | undefined;
  /** The last run that a sweep has counted as stalled, by when it was taken. */
  stalledRun?: number | undefined;
}

/** An add that waits for the owner of its deduplication id to end. */
export interface KeptAdd {
  readonly id: string;
  readonly options: ModelOptions;
  readonly parent: { readonly id: string; readonly policy: Policy } | undefined;
}

/** A scheduler. */
export interface ModelSchedule {
  /** When its next run is due, ms. */
  due: number;
  runs: number;
  readonly every: number;
  readonly offset: number;
}

/** The bounds of a queue, as its `meta` has them. */
export interface Limits {
  readonly concurrency?: number;
  readonly max?: number;
  readonly maxJobs?: number;
  readonly uncounted?: boolean;
}

/** A queue as it should be: what stands where, and nothing of how it is stored. */
export class ModelQueue {
  readonly jobs = new Map<string, ModelJob>();
  /** The last one runs next. */
  readonly wait: string[] = [];
  /** The newest first. */
  readonly active: string[] = [];
  readonly prioritized: { id: string; priority: number; arrival: number }[] = [];
  readonly delayed: { id: string; score: number }[] = [];
  readonly waitingChildren = new Map<string, number>();
  readonly completed: { id: string; at: number }[] = [];
  readonly failed: { id: string; at: number }[] = [];
  readonly locks = new Map<string, string>();
  readonly stalled = new Set<string>();
  readonly pending = new Map<string, Set<string>>();
  readonly processed = new Map<string, Set<string>>();
  readonly ignored = new Map<string, Set<string>>();
  readonly unsuccessful = new Map<string, Set<string>>();
  readonly owners = new Map<string, { id: string; expires: boolean }>();
  readonly kept = new Map<string, KeptAdd>();
  readonly schedulers = new Map<string, ModelSchedule>();
  /** Answers of requests that may come again. */
  readonly receipts = new Map<string, unknown>();
  readonly ends = { completed: 0, failed: 0 };
  paused = false;
  /** Starts in the window of the limit. */
  limiter: number | undefined;
  arrivals = 0;
  counter = 0;
  /** Whether a sweep has been within the interval. */
  swept = false;
  /** What this step announced, `name id`. */
  events: string[] = [];

  constructor(readonly limits: Limits) {}

  emit(name: string, id = ''): void {
    this.events.push(`${name} ${id}`);
  }
}

/** A member of a map of sets. */
export function addTo(map: Map<string, Set<string>>, key: string, member: string): void {
  const set = map.get(key) ?? new Set();
  map.set(key, set.add(member));
}

/** Takes a member out; an empty set is none. @returns whether it was there */
export function takeFrom(map: Map<string, Set<string>>, key: string, member: string): boolean {
  const set = map.get(key);
  const was = set?.delete(member) ?? false;
  if (set?.size === 0) map.delete(key);
  return was;
}

/** Takes an entry out of a list. @returns whether it was there */
export function takeOut(list: (string | { id: string })[], id: string): boolean {
  const at = list.findIndex((one) => (typeof one === 'string' ? one : one.id) === id);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}
