import type { ServerStream, Services, Unary, Work } from '@echomq/engine';
import type { AddJobItem, FlowNode, JobLease, JobRef, WorkRequest } from '@echomq/proto/messages';
import type { Principal } from './principal.js';
import { queueAccessDenied } from './refusals.js';
import { maskOf, VERBS, type Verb, type VerbMask } from './rights.js';

/** Called for each queue that a request names; other verbs than the rule's where the queue is used otherwise. */
type Each = (queue: string, verbs?: VerbMask) => void;

/** What an rpc asks of its caller. */
export interface AccessRule<Request> {
  /** One of them is enough; none: it is enough to be known. */
  readonly verbs: readonly Verb[];
  /** Tells every queue that a request names. */
  readonly queues: (request: Request, each: Each) => void;
}

type RuleOf<Method> = Method extends Work
  ? AccessRule<WorkRequest>
  : Method extends Unary<infer Request, unknown>
    ? AccessRule<Request>
    : Method extends ServerStream<infer Request, unknown>
      ? AccessRule<Request>
      : never;

type Rules = {
  readonly [S in keyof Services]: {
    readonly [M in keyof Services[S]]-?: RuleOf<Services[S][M]>;
  };
};

const named = (...verbs: Verb[]): AccessRule<{ readonly queue: string }> => ({
  verbs,
  queues: ({ queue }, each) => each(queue),
});
/** Not about one queue: the answer is the same for all, or shows only what the caller may see. */
const free: AccessRule<unknown> = { verbs: [], queues: () => undefined };
const held: AccessRule<{ readonly lease?: JobLease | undefined }> = {
  verbs: ['work'],
  queues: ({ lease }, each) => each(queueOf(lease)),
};
const read = named('read');
const admin = named('admin');
const READ = maskOf(['read']);

/** A lease or a reference without a queue is one of the queue without a name, which only `*` covers. */
const queueOf = (of: JobLease | JobRef | undefined): string => of?.queue ?? '';

/**
 * Every rpc with what it asks for: the one place that says so. An rpc without a line does not compile. Whoever adds a
 * job below a parent changes the parent too, so that the parent's queue counts as well.
 */
export const ACCESS_RULES: Rules = {
  producer: {
    addJob: { verbs: ['produce'], queues: (request, each) => added(request, '', each) },
    addJobs: {
      verbs: ['produce'],
      queues: ({ queue, items }, each) => {
        if (items.length === 0) each(queue);
        for (const item of items) added(item, queue, each);
      },
    },
    addFlow: {
      verbs: ['produce'],
      queues: ({ root, parent }, each) => {
        flow(root, each);
        if (parent) each(parent.queue);
      },
    },
    waitJob: named('produce', 'read'),
  },
  worker: {
    fetchJobs: {
      verbs: ['work'],
      queues: ({ queue, held }, each) => {
        each(queue);
        for (const lease of held) each(queueOf(lease));
      },
    },
    finishJob: held,
    finishJobs: {
      verbs: ['work'],
      queues: ({ items }, each) => {
        for (const { lease } of items) each(queueOf(lease));
      },
    },
    extendLocks: {
      verbs: ['work'],
      queues: ({ leases }, each) => {
        for (const lease of leases) each(queueOf(lease));
      },
    },
    updateProgress: held,
    appendLogs: held,
    updateJobData: held,
    getChildrenValues: held,
    getJobData: {
      verbs: ['work', 'read'],
      queues: ({ target }, each) => {
        if (target?.$case === 'job') each(queueOf(target.value), READ);
        else each(queueOf(target?.value), maskOf(['work']));
      },
    },
    work: { verbs: ['work'], queues: onStream },
  },
  queue: {
    listQueues: free,
    getQueue: read,
    getJobCounts: read,
    getCountsPerPriority: read,
    listJobs: read,
    getJob: read,
    getJobLogs: read,
    getJobState: read,
    getFlow: { verbs: ['read'], queues: ({ job }, each) => each(queueOf(job)) },
    promoteJob: admin,
    retryJob: admin,
    retryJobs: admin,
    promoteJobs: admin,
    removeJob: admin,
    cancelJob: admin,
    updateJobPriority: admin,
    updateJobDelay: admin,
    updateJobOptions: admin,
    setJobData: admin,
    setJobProgress: admin,
    addJobLogs: admin,
    clearJobLogs: admin,
    listChildren: read,
    removeChildDependency: admin,
    removeUnprocessedChildren: admin,
    pauseQueue: admin,
    resumeQueue: admin,
    drainQueue: admin,
    cleanQueue: admin,
    obliterateQueue: admin,
    setRateLimit: admin,
    getRateLimit: read,
    clearRateLimit: admin,
    holdQueue: admin,
    setConcurrency: admin,
    setQueueLimits: admin,
    getMetrics: read,
    listWorkers: {
      verbs: ['read'],
      // Without a queue it tells of those that the caller may read.
      queues: ({ queue }, each) => (queue === '' ? undefined : each(queue)),
    },
    getDeduplicationJob: read,
    removeDeduplicationKey: admin,
    trimEvents: admin,
    inspectQueue: read,
    repairQueue: admin,
  },
  scheduler: {
    upsertScheduler: named('produce', 'admin'),
    getScheduler: read,
    listSchedulers: read,
    removeScheduler: named('produce', 'admin'),
    previewSchedule: free,
  },
  event: { subscribe: read, pollEvents: read },
  gateway: { getServerInfo: free },
};

function added(
  { queue, parent }: Pick<AddJobItem, 'queue' | 'parent'>,
  fallback: string,
  each: Each,
): void {
  each(queue === '' ? fallback : queue);
  if (parent) each(parent.queue);
}

/** Without recursion: how deep a flow may be is checked later. */
function flow(root: FlowNode | undefined, each: Each): void {
  const nodes = [root];
  while (nodes.length > 0) {
    const node = nodes.pop();
    each(node?.queue ?? '');
    for (const child of node?.children ?? []) nodes.push(child);
  }
}

function onStream({ message }: WorkRequest, each: Each): void {
  switch (message?.$case) {
    case 'open':
      for (const { queue } of message.value.subscriptions) each(queue);
      for (const lease of message.value.held) each(queueOf(lease));
      break;
    case 'window':
      each(message.value.queue);
      break;
    case 'report':
    case 'progress':
    case 'logs':
      each(queueOf(message.value.lease));
      break;
    case 'reports':
      for (const { lease } of message.value.reports) each(queueOf(lease));
  }
}

/** A check for the requests of one rpc: made once, so that a call allocates nothing but a closure. */
export function accessCheck(rule: AccessRule<never>) {
  const mask = maskOf(rule.verbs);
  const walk = rule.queues as (request: unknown, each: Each) => void;
  /** @throws EchoMQError QUEUE_ACCESS_DENIED for the first queue that the principal may not use so */
  return ({ rights }: Principal, request: unknown): void => {
    if (rights.all) return;
    walk(request, (queue, verbs = mask) => {
      if (!rights.may(verbs, queue)) throw queueAccessDenied(firstVerb(verbs), queue);
    });
  };
}

function firstVerb(mask: VerbMask): Verb {
  return VERBS.find((verb) => (mask & maskOf([verb])) !== 0) ?? 'admin';
}
