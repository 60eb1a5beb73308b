import { JobOptions, msToDuration, ParentFailurePolicy } from '@echomq/proto/messages';
import { jsonMembers } from '../validation/json-members.js';
import { MAX_INSTANT_MS } from '../validation/time-bounds.js';
import { backoffOf } from './backoff.js';
import { deduplicationOf } from './deduplication.js';
import { retentionOf } from './retention.js';
import { STORED } from './stored-options.js';
import { storedContext, withContext } from './trace-context.js';

/** Puts a stored member into the options. False: it has a form that this version does not model. */
type Reader = (options: JobOptions, value: unknown) => boolean;

/** Deeper than any writer goes, and still bounded. */
const MAX_DEPTH = 10_000;

/** The options that a job was stored with; `undefined` when the text is no JSON object. */
export function decodeOptions(opts: Uint8Array): JobOptions | undefined {
  const stored = parsedObject(opts);
  if (!stored) return undefined;
  const options = JobOptions.create();
  const extra = new Set<string>();
  for (const [name, value] of Object.entries(stored)) {
    if (!READERS.get(name)?.(options, value)) extra.add(name);
  }
  const trace = (stored as Record<string, unknown>)[STORED.trace];
  // Written from the headers, it comes back from them.
  if (trace !== undefined && trace === storedContext(options.headers)) extra.delete(STORED.trace);
  else options.headers = withContext(options.headers, trace);
  if (extra.size > 0) options.extraOptsJson = verbatim(opts, extra);
  return options;
}

function parsedObject(opts: Uint8Array): object | undefined {
  try {
    const stored: unknown = JSON.parse(
      Buffer.from(opts.buffer, opts.byteOffset, opts.length).toString(),
    );
    return typeof stored === 'object' && stored !== null && !Array.isArray(stored)
      ? stored
      : undefined;
  } catch {
    return undefined;
  }
}

/** A JSON object of the named members, each as it stands in the text. */
function verbatim(opts: Uint8Array, names: ReadonlySet<string>): Buffer {
  const members = jsonMembers(opts, MAX_DEPTH);
  if (!members) return Buffer.from(opts);
  const kept = members.filter(({ key }) => names.has(key));
  const parts = kept.flatMap(({ text }, i) => (i === 0 ? [text] : [Buffer.from(','), text]));
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [STORED.attempts, count('attempts')],
  [STORED.priority, count('priority')],
  [STORED.keepLogs, count('keepLogs')],
  [STORED.stackTraceLimit, count('stackTraceLimit')],
  [STORED.sizeLimit, count('sizeLimit')],
  [STORED.backoff, form('backoff', backoffOf)],
  [STORED.removeOnComplete, form('removeOnComplete', retentionOf)],
  [STORED.removeOnFail, form('removeOnFail', retentionOf)],
  [STORED.deduplication, form('deduplication', deduplicationOf)],
  [STORED.headers, form('headers', headersOf)],
  [STORED.jobId, form('jobId', (value) => (typeof value === 'string' ? value : undefined))],
  [STORED.lifo, form('lifo', (value) => (typeof value === 'boolean' ? value : undefined))],
  [STORED.failParent, policy(ParentFailurePolicy.FAIL_PARENT)],
  [STORED.continueParent, policy(ParentFailurePolicy.CONTINUE_PARENT)],
  [STORED.ignoreFailure, policy(ParentFailurePolicy.IGNORE)],
  [STORED.removeFailed, policy(ParentFailurePolicy.REMOVE)],
  [STORED.delay, readDelay],
  [STORED.runAt, readRunAt],
  [STORED.parent, isParentLink],
]);

function form<K extends keyof JobOptions>(
  field: K,
  read: (value: unknown) => JobOptions[K] | undefined,
): Reader {
  return (options, value) => {
    const known = read(value);
    if (known === undefined) return false;
    options[field] = known;
    return true;
  };
}

function count(
  field: 'attempts' | 'priority' | 'keepLogs' | 'stackTraceLimit' | 'sizeLimit',
): Reader {
  return form(field, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff
      ? value
      : undefined,
  );
}

/** A policy that is switched off is none. */
function policy(meaning: ParentFailurePolicy): Reader {
  return (options, value) => {
    if (value === true) options.parentFailurePolicy = meaning;
    return typeof value === 'boolean';
  };
}

function headersOf(value: unknown): JobOptions['headers'] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.values(value).every((text) => typeof text === 'string')
    ? (value as JobOptions['headers'])
    : undefined;
}

function readDelay(options: JobOptions, value: unknown): boolean {
  if (typeof value !== 'number' || !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return false;
  // `run_at` is the one that the producer named, where both stand.
  if (options.due?.$case !== 'runAt') options.due = { $case: 'delay', value: msToDuration(value) };
  return true;
}

function readRunAt(options: JobOptions, value: unknown): boolean {
  if (typeof value !== 'number' || !(value >= 0 && value <= MAX_INSTANT_MS)) return false;
  options.due = { $case: 'runAt', value: new Date(value) };
  return true;
}

/** The link to the parent is told by the job's own fields. */
function isParentLink(_: JobOptions, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).every((name) => name === 'id' || name === 'queue');
}
