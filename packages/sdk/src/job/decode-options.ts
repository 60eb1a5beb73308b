import * as pb from '@echomq/proto/messages';
import type { BackoffOptions, JobsOptions, KeepJobs } from './job-options.js';

/** Options as the SDK's users know them; what is not set is left out. */
export function decodeOptions(options: pb.JobOptions | undefined, parent?: pb.JobRef): JobsOptions {
  if (options === undefined) return {};
  const { due, deduplication: unique } = options;
  return without({
    jobId: options.jobId || undefined,
    delay: due?.$case === 'delay' ? pb.durationToMs(due.value) : undefined,
    runAt: due?.$case === 'runAt' ? due.value : undefined,
    priority: options.priority,
    attempts: options.attempts,
    backoff: backoffOf(options.backoff),
    lifo: options.lifo || undefined,
    removeOnComplete: retentionOf(options.removeOnComplete),
    removeOnFail: retentionOf(options.removeOnFail),
    keepLogs: options.keepLogs,
    stackTraceLimit: options.stackTraceLimit,
    sizeLimit: options.sizeLimit,
    deduplication:
      unique === undefined
        ? undefined
        : without({
            id: unique.id,
            ttl: pb.durationToMs(unique.ttl),
            extend: unique.extend || undefined,
            replace: unique.replace || undefined,
            keepLastIfActive: unique.keepLastIfActive || undefined,
            reschedule: unique.reschedule || undefined,
          }),
    parent: parent === undefined ? undefined : { id: parent.jobId, queue: parent.queue },
    ...policyOf(options.parentFailurePolicy),
    headers: Object.keys(options.headers).length > 0 ? { ...options.headers } : undefined,
  });
}

function backoffOf(backoff: pb.Backoff | undefined): BackoffOptions | undefined {
  if (backoff === undefined || backoff.type === pb.BackoffType.UNSPECIFIED) return undefined;
  const type = {
    [pb.BackoffType.FIXED]: 'fixed',
    [pb.BackoffType.EXPONENTIAL]: 'exponential',
  }[backoff.type as number];
  return without({
    type: type ?? backoff.customName,
    delay: pb.durationToMs(backoff.delay),
    jitter: backoff.jitter || undefined,
  });
}

function retentionOf(retention: pb.Retention | undefined): boolean | KeepJobs | undefined {
  const rule = retention?.rule;
  if (rule === undefined) return undefined;
  if (rule.$case === 'remove') return rule.value;
  const { count, age, limit } = rule.value;
  return without({ count, age: age === undefined ? undefined : seconds(age), limit });
}

function policyOf(policy: pb.ParentFailurePolicy): JobsOptions {
  switch (policy) {
    case pb.ParentFailurePolicy.FAIL_PARENT:
      return { failParentOnFailure: true };
    case pb.ParentFailurePolicy.CONTINUE_PARENT:
      return { continueParentOnFailure: true };
    case pb.ParentFailurePolicy.IGNORE:
      return { ignoreDependencyOnFailure: true };
    case pb.ParentFailurePolicy.REMOVE:
      return { removeDependencyOnFailure: true };
    default:
      return {};
  }
}

function seconds(age: pb.Duration): number {
  return pb.durationToMs(age) / 1_000;
}

/** Members that may be undefined may be absent instead. */
type Given<T> = {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
} & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };

/** The members that are set. */
function without<T extends object>(value: T): Given<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Given<T>;
}
