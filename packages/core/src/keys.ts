/**
 * Every key of a queue, derived from its prefix and name. The Lua twin is lua/lib/keys.lua; a test compares both.
 * Source of the names: BullMQ's layout, docs/compatibility.md.
 */
export class QueueKeys {
  /** What every key of the queue begins with, colon included: `bull:orders:`. */
  readonly base: string;
  readonly wait: string;
  readonly paused: string;
  readonly active: string;
  readonly prioritized: string;
  readonly delayed: string;
  readonly waitingChildren: string;
  readonly completed: string;
  readonly failed: string;
  readonly stalled: string;
  readonly stalledCheck: string;
  readonly limiter: string;
  readonly meta: string;
  readonly id: string;
  readonly pc: string;
  readonly events: string;
  readonly marker: string;
  readonly schedulers: string;
  /** What this engine counted that operators should know; one of our own keys. */
  readonly counters: string;
  /** Where ids are published of jobs whose holders should ask how their leases stand; one of our own names. */
  readonly cancelChannel: string;
  /** The worker sessions that were noted, by when; one of our own keys. */
  readonly workers: string;

  constructor(
    /** The installation's prefix, `bull` for BullMQ's default. */
    readonly prefix: string,
    /** The queue's name as it stands in the key, hash tag included. */
    readonly name: string,
  ) {
    this.base = `${prefix}:${name}:`;
    this.wait = `${this.base}wait`;
    this.paused = `${this.base}paused`;
    this.active = `${this.base}active`;
    this.prioritized = `${this.base}prioritized`;
    this.delayed = `${this.base}delayed`;
    this.waitingChildren = `${this.base}waiting-children`;
    this.completed = `${this.base}completed`;
    this.failed = `${this.base}failed`;
    this.stalled = `${this.base}stalled`;
    this.stalledCheck = `${this.base}stalled-check`;
    this.limiter = `${this.base}limiter`;
    this.meta = `${this.base}meta`;
    this.id = `${this.base}id`;
    this.pc = `${this.base}pc`;
    this.events = `${this.base}events`;
    this.marker = `${this.base}marker`;
    this.schedulers = `${this.base}repeat`;
    this.counters = `${this.base}meta:counters:1`;
    this.cancelChannel = `${this.base}meta:cancel`;
    this.workers = `${this.base}meta:workers:index`;
  }

  /** The hash of a job. */
  job(id: string): string {
    return this.base + id;
  }

  /** The lock of a job: a string with a TTL. */
  lock(id: string): string {
    return `${this.base + id}:lock`;
  }

  /** The log rows of a job. */
  logs(id: string): string {
    return `${this.base + id}:logs`;
  }

  /** The pending children of a job. */
  dependencies(id: string): string {
    return `${this.base + id}:dependencies`;
  }

  /** Return values of a job's completed children. */
  processed(id: string): string {
    return `${this.base + id}:processed`;
  }

  /** Reasons of a job's failed children that its policy ignores. */
  ignoredFailures(id: string): string {
    return `${this.base + id}:failed`;
  }

  /** Failed children that fail the job as well. */
  failedChildren(id: string): string {
    return `${this.base + id}:unsuccessful`;
  }

  /** The owner of a deduplication id. */
  deduplication(deduplicationId: string): string {
    return `${this.base}de:${deduplicationId}`;
  }

  /** The add that waits for the owner of a deduplication id to end. */
  keptLast(deduplicationId: string): string {
    return `${this.base}dn:${deduplicationId}`;
  }

  /** The record of a scheduler. */
  scheduler(schedulerId: string): string {
    return `${this.base}repeat:${schedulerId}`;
  }

  /** Receipts of a worker's session, one of our own keys; `session` is a digest. */
  sessionReceipts(session: string): string {
    return `${this.base}meta:rcpt:${session}`;
  }

  /** Receipts of one request, one of our own keys; `request` is a digest. */
  requestReceipts(request: string): string {
    return `${this.base}meta:req:${request}`;
  }

  /** Says that somebody asked to cancel a job that runs; one of our own keys. */
  cancel(id: string): string {
    return `${this.base}meta:cancel:${id}`;
  }

  /** What a worker's session has told of itself, one of our own keys; `session` is a digest. */
  worker(session: string): string {
    return `${this.base}meta:workers:${session}`;
  }

  /** The metrics hash of an end. */
  metrics(target: 'completed' | 'failed'): string {
    return `${this.base}metrics:${target}`;
  }
}

/** How names become key segments in a cluster: `auto` adds a hash tag where none stands, `never` leaves names alone. */
export type QueueTag = 'auto' | 'never';

/** Whether a text carries a hash tag that Redis Cluster would use: a `{`, then a `}` with something between. */
export function hasHashTag(text: string): boolean {
  const open = text.indexOf('{');
  return open >= 0 && text.indexOf('}', open + 1) > open + 1;
}

/**
 * What is wrong with a prefix, or `undefined`. One whose first braces are empty makes every key's hash tag void, that of
 * `{orders}` too: in a cluster the keys of one queue would lie in many slots.
 */
export function prefixProblem(prefix: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(prefix) || prefix.trim() === '' || prefix.endsWith(':')) {
    return 'must not be blank, hold control characters or end with a colon';
  }
  const open = prefix.indexOf('{');
  if (open >= 0 && prefix[open + 1] === '}') {
    return 'must not begin its braces with {}: no key would have a hash tag in a cluster';
  }
  return undefined;
}

/**
 * The name of a queue in its keys. On a single server it is the name as given; in a cluster `orders` becomes
 * `{orders}`, so that all its keys share a slot, unless name or prefix carry a tag already.
 */
export function storedQueueName(name: string, prefix: string, cluster: boolean): string {
  return !cluster || hasHashTag(prefix) || hasHashTag(name) ? name : `{${name}}`;
}
