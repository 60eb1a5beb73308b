import { InvalidRequest } from '@echomq/core';

/** Key suffixes of a queue: a job of that name would take the place of a key. */
const RESERVED: ReadonlySet<string> = new Set([
  'wait',
  'paused',
  'active',
  'prioritized',
  'delayed',
  'waiting-children',
  'completed',
  'failed',
  'stalled',
  'stalled-check',
  'limiter',
  'meta',
  'id',
  'pc',
  'events',
  'marker',
  'repeat',
  'de',
  'dn',
  'metrics',
  'priority',
  'delay',
  'data',
  // Of jobs.
  'lock',
  'logs',
  'dependencies',
  'processed',
  'unsuccessful',
]);

/** Keys of a queue with three parts: what they begin with. */
const RESERVED_HEADS: ReadonlySet<string> = new Set(['0', 'meta', 'repeat', 'de', 'dn', 'metrics']);

/** Key suffixes of jobs: an id that ends so would be another job's key. */
const JOB_SUFFIXES: ReadonlySet<string> = new Set([
  'lock',
  'logs',
  'dependencies',
  'processed',
  'failed',
  'unsuccessful',
]);

/** Beginnings of keys of the queue that no job has; `repeat:` is not one: the runs of a scheduler begin so. */
const KEY_HEADS = /^(meta|de|dn|metrics):/;

const MAX_CUSTOM_BYTES = 256;
const MAX_BYTES = 1_024;

/**
 * An id that a producer chose for a new job, checked: at most 256 bytes, no canonical integer (the queue's counter
 * gives those), no colon or exactly two, nothing that is a key of the queue or of a job.
 *
 * @throws InvalidRequest CUSTOM_JOB_ID_INVALID.
 */
export function customJobId(id: string, field: string): string {
  const refuse = (problem: string) => {
    throw new InvalidRequest(field, problem, 'CUSTOM_JOB_ID_INVALID');
  };
  if (typeof id !== 'string') refuse('must be a text');
  if (Buffer.byteLength(id) > MAX_CUSTOM_BYTES)
    refuse(`must have at most ${MAX_CUSTOM_BYTES} bytes`);
  if (id.trim() === '') refuse('must not be blank');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(id) || !id.isWellFormed()) {
    refuse('must not contain control characters or lone surrogates');
  }
  if (/^(0|-?[1-9]\d*)$/.test(id)) refuse('must not be an integer: those are counted by the queue');
  const parts = id.split(':');
  if (parts.length !== 1 && parts.length !== 3) refuse('must have no colon or exactly two');
  const [head, last] = [parts[0] as string, parts.at(-1) as string];
  const taken =
    parts.length === 1 ? RESERVED.has(id) : RESERVED_HEADS.has(head) || JOB_SUFFIXES.has(last);
  if (taken) refuse('is reserved: it is, or may become, the name of a key');
  return id;
}

/**
 * The id of a job that may exist. A foreign writer may have chosen any, so only the size is checked.
 *
 * @throws InvalidRequest for an empty one, one of more than 1,024 bytes or with lone surrogates.
 */
export function jobId(id: string, field = 'job_id'): string {
  if (typeof id !== 'string' || id === '') throw new InvalidRequest(field, 'must not be empty');
  if (Buffer.byteLength(id) > MAX_BYTES) {
    throw new InvalidRequest(field, `must have at most ${MAX_BYTES} bytes`);
  }
  if (!id.isWellFormed()) throw new InvalidRequest(field, 'must not contain lone surrogates');
  return id;
}

/**
 * Whether an id is the name of one of the queue's own keys, or of a key that belongs to a job. No producer gets such an
 * id stored; what stands under it is no job, and must not be treated as one.
 */
export function isKeyName(id: string): boolean {
  if (RESERVED.has(id) || KEY_HEADS.test(id)) return true;
  const parts = id.split(':');
  // One colon: the key of a job `a`. Three and more: of a job `a:b:c`, or of a run of a scheduler.
  if (parts.length === 2 || parts.length > 3) return JOB_SUFFIXES.has(parts.at(-1) as string);
  return false;
}
