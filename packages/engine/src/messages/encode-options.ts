import { InvalidRequest, OPTION_FIELDS } from '@echomq/core';
import { type JobOptions, ParentFailurePolicy } from '@echomq/proto/messages';
import { durationMs, instantMs } from '../validation/duration.js';
import { type JsonMember, jsonMembers } from '../validation/json-members.js';
import { jsonPayload } from '../validation/json-payload.js';
import { MAX_PRIORITY } from '../validation/priority.js';
import { boundedText } from '../validation/text.js';
import { uint } from '../validation/uint.js';
import { storedBackoff } from './backoff.js';
import { storedDeduplication } from './deduplication.js';
import { storedRetention } from './retention.js';
import { STORED } from './stored-options.js';
import { storedContext } from './trace-context.js';

const MAX_HEADERS = 64;
const MAX_HEADERS_BYTES = 16_384;
const MAX_EXTRA_BYTES = 65_536;
const MAX_EXTRA_DEPTH = 32;

/** Members of extra_opts_json that would go round the checks: all that has a field of its own, in either spelling. */
const HAS_FIELD: ReadonlySet<string> = new Set([
  ...Object.values(STORED).filter((name) => name !== STORED.trace),
  ...Object.keys(OPTION_FIELDS).filter((name) => !/telemetry/i.test(name)),
]);

/** The job that waits for the new one, as its options name it. */
export interface OptionsLink {
  /** The parent's id. */
  readonly id: string;
  /** The parent's queue with its prefix, as it stands in keys. */
  readonly queue: string;
}

/**
 * The options as JSON text. `attempts` is always there; the text is written here once and never again.
 *
 * @param field the path of the options in the request, for messages.
 * @throws InvalidRequest that names the field below it.
 */
export function encodeOptions(
  options: JobOptions | undefined,
  field: string,
  parent?: OptionsLink,
): string | Buffer {
  const known = parent || !options ? undefined : texts.get(options);
  if (known !== undefined) return known;
  const text = textOf(options, field, parent);
  // Who freezes options with their headers gives the same ones again and again: none at all, as a rule.
  if (options && !parent && isShared(options)) texts.set(options, text);
  return text;
}

const texts = new WeakMap<JobOptions, string | Buffer>();

function isShared(options: JobOptions): boolean {
  if (!Object.isFrozen(options) || !Object.isFrozen(options.headers)) return false;
  return Object.values(options).every(
    (value) =>
      !value || typeof value !== 'object' || value === options.headers || isEmptyBytes(value),
  );
}

function isEmptyBytes(value: object): boolean {
  return value instanceof Uint8Array && value.length === 0;
}

function textOf(
  options: JobOptions | undefined,
  field: string,
  parent: OptionsLink | undefined,
): string | Buffer {
  const stored: Record<string, unknown> = { [STORED.attempts]: 0 };
  if (options) Object.assign(stored, modelled(options, field));
  if (parent) stored[STORED.parent] = { id: parent.id, queue: parent.queue };
  const extra = options ? extraMembers(options.extraOptsJson, `${field}.extra_opts_json`) : [];
  const trace = options && storedContext(options.headers);
  // What the caller says of it itself goes before.
  if (trace !== undefined && !extra.some(({ key }) => key === STORED.trace)) {
    stored[STORED.trace] = trace;
  }
  const text = JSON.stringify(stored);
  if (extra.length === 0) return text;
  const parts: Uint8Array[] = [Buffer.from(text.slice(0, -1))];
  for (const member of extra) parts.push(COMMA, member.text);
  return Buffer.concat([...parts, CLOSE]);
}

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from('}');

/** JSON leaves out what is undefined. */
function modelled(options: JobOptions, field: string): Record<string, unknown> {
  return {
    [STORED.attempts]: uint(options.attempts, `${field}.attempts`, { fallback: 0 }),
    [STORED.backoff]: storedBackoff(options.backoff, `${field}.backoff`),
    ...storedDue(options.due, field),
    [STORED.priority]: uint(options.priority, `${field}.priority`, { max: MAX_PRIORITY }),
    [STORED.lifo]: options.lifo || undefined,
    [STORED.jobId]: options.jobId || undefined,
    [STORED.removeOnComplete]: storedRetention(
      options.removeOnComplete,
      `${field}.remove_on_complete`,
    ),
    [STORED.removeOnFail]: storedRetention(options.removeOnFail, `${field}.remove_on_fail`),
    [STORED.keepLogs]: uint(options.keepLogs, `${field}.keep_logs`),
    [STORED.stackTraceLimit]: uint(options.stackTraceLimit, `${field}.stack_trace_limit`),
    [STORED.sizeLimit]: uint(options.sizeLimit, `${field}.size_limit`),
    [STORED.deduplication]: storedDeduplication(options.deduplication, `${field}.deduplication`),
    ...storedPolicy(options.parentFailurePolicy, `${field}.parent_failure_policy`),
    [STORED.headers]: storedHeaders(options.headers, `${field}.headers`),
  };
}

function storedDue(due: JobOptions['due'], field: string): Record<string, number> {
  if (due?.$case === 'delay') {
    return { [STORED.delay]: durationMs(due.value, `${field}.delay`, {}) ?? 0 };
  }
  if (due?.$case === 'runAt') return { [STORED.runAt]: instantMs(due.value, `${field}.run_at`) };
  return {};
}

function storedPolicy(policy: ParentFailurePolicy, field: string): Record<string, true> {
  switch (policy) {
    case undefined:
    case ParentFailurePolicy.UNSPECIFIED:
      return {};
    case ParentFailurePolicy.FAIL_PARENT:
      return { [STORED.failParent]: true };
    case ParentFailurePolicy.CONTINUE_PARENT:
      return { [STORED.continueParent]: true };
    case ParentFailurePolicy.IGNORE:
      return { [STORED.ignoreFailure]: true };
    case ParentFailurePolicy.REMOVE:
      return { [STORED.removeFailed]: true };
    default:
      throw new InvalidRequest(field, 'is no known policy');
  }
}

function storedHeaders(
  headers: JobOptions['headers'] | undefined,
  field: string,
): Record<string, string> | undefined {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return undefined;
  if (entries.length > MAX_HEADERS) {
    throw new InvalidRequest(field, `must have at most ${MAX_HEADERS} entries`);
  }
  let size = 0;
  for (const [name, value] of entries) {
    // A lone surrogate would be written as an escape that Lua's JSON reader refuses.
    boundedText(name, field, { max: 256 });
    size += Buffer.byteLength(name) + Buffer.byteLength(boundedText(value, field, { max: 8_192 }));
  }
  if (size > MAX_HEADERS_BYTES) {
    throw new InvalidRequest(field, `must have at most ${MAX_HEADERS_BYTES} bytes in all`);
  }
  return Object.fromEntries(entries);
}

/** The members of extra_opts_json as they stand. */
function extraMembers(extra: Uint8Array | undefined, field: string): JsonMember[] {
  if (!extra || extra.length === 0) return [];
  const limits = { maxPayloadBytes: MAX_EXTRA_BYTES, maxJsonDepth: MAX_EXTRA_DEPTH };
  const members = jsonMembers(jsonPayload(extra, field, { limits, empty: '{}' }), MAX_EXTRA_DEPTH);
  if (!members) throw new InvalidRequest(field, 'must be a JSON object');
  // Lua's JSON reader would refuse the whole text, and with it the job's attempts and backoff.
  if (/\\ud[89a-f]/i.test(Buffer.from(extra).toString('latin1')) && !escapesAreWhole(extra)) {
    throw new InvalidRequest(field, 'must not contain lone surrogates');
  }
  const seen = new Set<string>();
  for (const { key } of members) {
    if (HAS_FIELD.has(key)) throw new InvalidRequest(field, `${key} has a field of its own`);
    if (seen.has(key)) throw new InvalidRequest(field, 'names a member twice');
    seen.add(key);
  }
  return members;
}

/** Whether no string in a JSON text has half of a surrogate pair. */
function escapesAreWhole(json: Uint8Array): boolean {
  let whole = true;
  JSON.parse(Buffer.from(json).toString(), (key, value) => {
    whole &&= key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed());
    return value;
  });
  return whole;
}
