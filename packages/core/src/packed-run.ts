import type { StoredJob } from './job-fields.js';
import type { PackedReader } from './msgpack-reader.js';

const EMPTY_OBJECT = Buffer.from('{}');

/** The same for who makes one. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads a run as a batch answers it, without its id: the values of `RUN_FIELDS` in lua/lib/heldJob.lua in their
 * order, then when it began and the worker's name.
 */
export function readRun(reader: PackedReader): Writable<StoredJob> {
  const size = reader.array();
  const run: Writable<StoredJob> = {
    id: '',
    name: reader.text() ?? '',
    data: reader.bytes() ?? EMPTY_OBJECT,
    opts: reader.bytes(EMPTY_OBJECT) ?? EMPTY_OBJECT,
    timestamp: reader.number(),
    delay: reader.number(),
    priority: reader.number(),
    attemptsMade: reader.number(),
    attemptsStarted: reader.number(),
    stalledCount: reader.number(),
  };
  set(run, 'parentKey', reader.text());
  set(run, 'parent', reader.bytes());
  set(run, 'schedulerId', reader.text());
  set(run, 'deferredFailure', reader.text());
  set(run, 'deduplicationId', reader.text());
  set(run, 'progress', reader.bytes());
  reader.skip();
  run.processedOn = reader.number();
  set(run, 'processedBy', reader.text());
  for (let more = size - RUN_LENGTH; more > 0; more--) reader.skip();
  return run;
}

const RUN_LENGTH = 18;

function set<K extends keyof StoredJob>(
  run: Writable<StoredJob>,
  field: K,
  value: StoredJob[K] | undefined,
): void {
  if (value !== undefined) run[field] = value;
}
