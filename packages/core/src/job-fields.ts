import type { RedisReply } from './redis-client.js';

/** A job as its hash has it. Texts that producers and workers wrote are bytes: nobody re-encodes them. */
export interface StoredJob {
  readonly id: string;
  readonly name: string;
  /** JSON text; `{}` where the hash has none. */
  readonly data: Buffer;
  /** JSON text of the options with BullMQ's short names; `{}` where the hash has none. */
  readonly opts: Buffer;
  /** When it was added, ms since the epoch. */
  readonly timestamp: number;
  /** The current delay in ms. */
  readonly delay: number;
  /** 0 for none, else 1 (first) to 2097151. */
  readonly priority: number;
  /** Runs that ended and counted against the budget. */
  readonly attemptsMade: number;
  /** Times that a worker got it. */
  readonly attemptsStarted: number;
  /** Times that it was taken from a silent worker. */
  readonly stalledCount: number;
  /** Key of the parent's hash. */
  readonly parentKey?: string;
  /** JSON text with the parent's id, queue and policy. */
  readonly parent?: Buffer;
  readonly schedulerId?: string;
  readonly deduplicationId?: string;
  /** Why it must be failed at its next fetch instead of run. */
  readonly deferredFailure?: string;
  /** When it was last activated, ms since the epoch. */
  readonly processedOn?: number;
  /** When it ended, ms since the epoch. */
  readonly finishedOn?: number;
  /** Name of the worker that got it last. */
  readonly processedBy?: string;
  /** JSON text. */
  readonly progress?: Buffer;
  /** JSON text of the result of a completed job. */
  readonly returnValue?: Buffer;
  /** Plain text of the last failure. */
  readonly failedReason?: string;
  /** JSON array of strings. */
  readonly stackTrace?: Buffer;
}

/** The hash's names; the short ones appear here and in lua/lib/fields.lua only. */
const FIELDS = {
  name: 'name',
  data: 'data',
  opts: 'opts',
  timestamp: 'timestamp',
  delay: 'delay',
  priority: 'priority',
  attemptsMade: 'atm',
  attemptsStarted: 'ats',
  stalledCount: 'stc',
  parentKey: 'parentKey',
  parent: 'parent',
  schedulerId: 'rjk',
  deduplicationId: 'deid',
  deferredFailure: 'defa',
  processedOn: 'processedOn',
  finishedOn: 'finishedOn',
  processedBy: 'pb',
  progress: 'progress',
  returnValue: 'returnvalue',
  failedReason: 'failedReason',
  stackTrace: 'stacktrace',
} as const satisfies Readonly<Record<Exclude<keyof StoredJob, 'id'>, string>>;

/** The options' short names, by the long ones that the contract uses. */
export const OPTION_FIELDS = {
  deduplication: 'de',
  failParentOnFailure: 'fpof',
  continueParentOnFailure: 'cpof',
  ignoreDependencyOnFailure: 'idof',
  removeDependencyOnFailure: 'rdof',
  keepLogs: 'kl',
  telemetryMetadata: 'tm',
  omitTelemetryContext: 'omc',
} as const;

/** Fields of a list row without the bodies (data, result, progress, stacks), for HMGET. */
export const SUMMARY_FIELDS: readonly string[] = Object.values(FIELDS).filter(
  (field) => !['data', 'returnvalue', 'progress', 'stacktrace'].includes(field),
);

const EMPTY_OBJECT = Buffer.from('{}');

/** Reads a job from a flat reply of names and values (HGETALL, or an activation). */
export function jobFromFlat(id: string, flat: readonly RedisReply[]): StoredJob {
  const hash = new Map<string, Buffer>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    hash.set(String(flat[i]), bytesOf(flat[i + 1]));
  }
  return jobFromHash(id, hash);
}

/** Reads a job from the values of HMGET with `fields`; absent ones are `null`. */
export function jobFromValues(
  id: string,
  fields: readonly string[],
  values: readonly RedisReply[],
): StoredJob {
  const hash = new Map<string, Buffer>();
  fields.forEach((field, i) => {
    const value = values[i];
    if (value !== null && value !== undefined) hash.set(field, bytesOf(value));
  });
  return jobFromHash(id, hash);
}

function jobFromHash(id: string, hash: ReadonlyMap<string, Buffer>): StoredJob {
  const text = (field: string) => hash.get(field)?.toString();
  const number = (field: string) => {
    const value = Number(text(field) ?? 0);
    return Number.isFinite(value) ? value : 0;
  };
  const optional = <K extends string, V>(key: K, value: V | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
  const instant = (field: string) => (hash.has(field) ? number(field) : undefined);
  return {
    id,
    name: text(FIELDS.name) ?? '',
    data: hash.get(FIELDS.data) ?? EMPTY_OBJECT,
    opts: hash.get(FIELDS.opts) ?? EMPTY_OBJECT,
    timestamp: number(FIELDS.timestamp),
    delay: number(FIELDS.delay),
    priority: number(FIELDS.priority),
    attemptsMade: number(FIELDS.attemptsMade),
    attemptsStarted: number(FIELDS.attemptsStarted),
    stalledCount: number(FIELDS.stalledCount),
    ...optional('parentKey', text(FIELDS.parentKey)),
    ...optional('parent', hash.get(FIELDS.parent)),
    ...optional('schedulerId', text(FIELDS.schedulerId)),
    ...optional('deduplicationId', text(FIELDS.deduplicationId)),
    ...optional('deferredFailure', text(FIELDS.deferredFailure)),
    ...optional('processedOn', instant(FIELDS.processedOn)),
    ...optional('finishedOn', instant(FIELDS.finishedOn)),
    ...optional('processedBy', text(FIELDS.processedBy)),
    ...optional('progress', hash.get(FIELDS.progress)),
    ...optional('returnValue', hash.get(FIELDS.returnValue)),
    ...optional('failedReason', text(FIELDS.failedReason)),
    ...optional('stackTrace', hash.get(FIELDS.stackTrace)),
  };
}

function bytesOf(value: RedisReply | undefined): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''));
}
