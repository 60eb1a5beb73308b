import * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';
import { flagOf } from '../payload/flags.js';
import { checkNames } from '../payload/known-names.js';
import { durationOf, uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';
import { checkQueueName } from '../queue/queue-name.js';
import type { BackoffOptions, DeduplicationOptions, JobsOptions, KeepJobs } from './job-options.js';
import { JOB_OPTION_NAMES } from './job-options.js';

/**
 * Options as the contract writes them.
 *
 * @param field what an error calls them, for example `options`
 * @throws InvalidRequest naming the option that is out of range or unknown
 */
export function encodeOptions(options: JobsOptions, field: string): pb.JobOptions {
  if (isEmpty(options)) return PLAIN;
  return written(options, field);
}

/** Whether nothing is set: most adds say nothing. */
function isEmpty(options: JobsOptions): boolean {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return false;
  for (const _ in options) return false;
  return true;
}

function written(options: JobsOptions, field: string): pb.JobOptions {
  checkNames(options, JOB_OPTION_NAMES, { field, what: 'an option of a job' });
  const at = (name: keyof JobsOptions) => `${field}.${name}`;
  return {
    jobId: textOf(options.jobId ?? '', at('jobId'), 'CUSTOM_JOB_ID_INVALID'),
    due: dueOf(options, at),
    priority: uint32Of(options.priority, at('priority')),
    attempts: uint32Of(options.attempts, at('attempts')),
    backoff: backoffOf(options.backoff, at('backoff')),
    lifo: flagOf(options.lifo, at('lifo')),
    removeOnComplete: retentionOf(options.removeOnComplete, at('removeOnComplete')),
    removeOnFail: retentionOf(options.removeOnFail, at('removeOnFail')),
    keepLogs: uint32Of(options.keepLogs, at('keepLogs')),
    stackTraceLimit: uint32Of(options.stackTraceLimit, at('stackTraceLimit')),
    deduplication: deduplicationOf(options.deduplication, at('deduplication')),
    parentFailurePolicy: parentPolicyOf(options, field),
    sizeLimit: uint32Of(options.sizeLimit, at('sizeLimit')),
    headers: headersOf(options.headers, at('headers')),
    extraOptsJson: Buffer.alloc(0),
  };
}

/** The parent as the contract writes it. @throws InvalidRequest naming the member below `field` */
export function encodeParent(parent: JobsOptions['parent'], field: string): pb.JobRef | undefined {
  if (parent === undefined) return undefined;
  checkNames(parent, PARENT_NAMES, { field, what: 'a part of a parent' });
  checkQueueName(parent.queue, `${field}.queue`);
  return { queue: parent.queue, jobId: textOf(parent.id, `${field}.id`) };
}

const PARENT_NAMES: ReadonlySet<string> = new Set(['id', 'queue']);

function dueOf(
  { delay, runAt }: JobsOptions,
  at: (name: keyof JobsOptions) => string,
): pb.JobOptions['due'] {
  if (runAt !== undefined) {
    if (delay !== undefined) throw invalid(at('runAt'), 'not together with `delay`');
    if (Number.isNaN(runAt.getTime())) throw invalid(at('runAt'), 'is an invalid Date');
    return { $case: 'runAt', value: runAt };
  }
  // No delay and a delay of nothing are the same job.
  if (delay === undefined || delay === 0) return undefined;
  return { $case: 'delay', value: durationOf(delay, at('delay')) };
}

function backoffOf(
  backoff: number | BackoffOptions | undefined,
  field: string,
): pb.Backoff | undefined {
  if (backoff === undefined) return undefined;
  if (typeof backoff === 'number') return backoffOf({ type: 'fixed', delay: backoff }, field);
  checkNames(backoff, BACKOFF_NAMES, { field, what: 'a part of a backoff' });
  const { type, delay, jitter = 0 } = backoff;
  if (!(jitter >= 0 && jitter <= 1)) throw invalid(`${field}.jitter`, 'must be from 0 to 1');
  const known = type === 'fixed' || type === 'exponential';
  if (!known && (typeof type !== 'string' || type === '')) {
    throw invalid(`${field}.type`, 'must be a name');
  }
  return {
    type: known
      ? pb.BackoffType[type === 'fixed' ? 'FIXED' : 'EXPONENTIAL']
      : pb.BackoffType.CUSTOM,
    delay: delay === undefined ? undefined : durationOf(delay, `${field}.delay`),
    jitter,
    customName: known ? '' : type,
  };
}

const BACKOFF_NAMES: ReadonlySet<string> = new Set<keyof BackoffOptions>([
  ...(['type', 'delay', 'jitter'] as const),
]);

function retentionOf(
  rule: boolean | number | KeepJobs | undefined,
  field: string,
): pb.Retention | undefined {
  if (rule === undefined) return undefined;
  if (typeof rule === 'boolean') return { rule: { $case: 'remove', value: rule } };
  if (typeof rule === 'number') return retentionOf({ count: rule }, field);
  checkNames(rule, RETENTION_NAMES, { field, what: 'a part of a rule' });
  const { age, count, limit } = rule;
  const keep: pb.KeepRule = {
    count: uint32Of(count, `${field}.count`),
    age: age === undefined ? undefined : durationOf(age * 1_000, `${field}.age`),
    limit: uint32Of(limit, `${field}.limit`),
  };
  return { rule: { $case: 'keep', value: keep } };
}

const RETENTION_NAMES: ReadonlySet<string> = new Set<keyof KeepJobs>(['age', 'count', 'limit']);

function deduplicationOf(
  options: DeduplicationOptions | undefined,
  field: string,
): pb.Deduplication | undefined {
  if (options === undefined) return undefined;
  checkNames(options, DEDUPLICATION_NAMES, { field, what: 'an option of a deduplication' });
  const { id, ttl } = options;
  const flag = (name: 'extend' | 'replace' | 'keepLastIfActive' | 'reschedule') =>
    flagOf(options[name], `${field}.${name}`);
  return {
    id: textOf(id, `${field}.id`),
    ttl: ttl === undefined ? undefined : durationOf(ttl, `${field}.ttl`),
    extend: flag('extend'),
    replace: flag('replace'),
    keepLastIfActive: flag('keepLastIfActive'),
    reschedule: flag('reschedule'),
  };
}

const DEDUPLICATION_NAMES: ReadonlySet<string> = new Set<keyof DeduplicationOptions>([
  ...(['id', 'ttl', 'extend', 'replace', 'keepLastIfActive', 'reschedule'] as const),
]);

function headersOf(headers: JobsOptions['headers'], field: string): Record<string, string> {
  const texts = Object.entries(headers ?? {}).map(([name, value]) => [
    textOf(name, field),
    textOf(value, `${field}.${name}`),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}

function parentPolicyOf(options: JobsOptions, field: string): pb.ParentFailurePolicy {
  const set = (
    [
      ['failParentOnFailure', pb.ParentFailurePolicy.FAIL_PARENT],
      ['continueParentOnFailure', pb.ParentFailurePolicy.CONTINUE_PARENT],
      ['ignoreDependencyOnFailure', pb.ParentFailurePolicy.IGNORE],
      ['removeDependencyOnFailure', pb.ParentFailurePolicy.REMOVE],
    ] as const
  ).filter(([name]) => flagOf(options[name], `${field}.${name}`));
  const [first, second] = set;
  if (second !== undefined) {
    throw invalid(`${field}.${second[0]}`, `not together with \`${first?.[0]}\``);
  }
  return first?.[1] ?? pb.ParentFailurePolicy.UNSPECIFIED;
}

/** What no options are. It is shared, so nobody may change it. */
const PLAIN = Object.freeze(written({}, 'opts'));
Object.freeze(PLAIN.headers);
