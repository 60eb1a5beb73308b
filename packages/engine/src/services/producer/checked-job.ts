import type { NewJob } from '@echomq/core';
import type { AddJobItem } from '@echomq/proto/messages';
import type { OptionsLink } from '../../messages/job-options.js';
import { encodeOptions } from '../../messages/job-options.js';
import type { EngineDeps } from '../../ports.js';
import { durationMs, instantMs } from '../../validation/duration.js';
import { jobName } from '../../validation/job-name.js';
import { jsonPayload, tooLarge } from '../../validation/json-payload.js';

/** The same for who makes one. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The part of a new job that does not depend on others. */
export type CheckedJob = Pick<
  NewJob,
  'name' | 'data' | 'opts' | 'delay' | 'dueAt' | 'priority' | 'lifo'
>;

/**
 * Checks name, data and options of a job and turns them into what the core adds. Nothing is changed or copied but the
 * options, which are written as JSON here.
 *
 * @param path what the fields are named after in messages: empty, or `items[3].`.
 * @param link the parent that the options are to name.
 * @throws InvalidRequest naming the field.
 */
export function checkedJob(
  { limits }: Pick<EngineDeps, 'limits'>,
  item: Pick<AddJobItem, 'name' | 'data' | 'options'>,
  path: string,
  link?: OptionsLink,
): Writable<CheckedJob> {
  const name = jobName(item.name, `${path}name`);
  const { options } = item;
  const data = jsonPayload(item.data, `${path}data`, { limits, empty: '{}' });
  const sizeLimit = options?.sizeLimit;
  if (sizeLimit !== undefined && data.length > sizeLimit) {
    throw tooLarge(`${path}data`, sizeLimit, data.length);
  }
  const job: Writable<CheckedJob> = {
    name,
    data,
    opts: encodeOptions(options, `${path}options`, link),
  };
  // One after the other: most jobs have none of them, and this is made for each job.
  if (options?.due) Object.assign(job, dueTime(options.due, `${path}options`));
  if (options?.priority) job.priority = options.priority;
  if (options?.lifo) job.lifo = true;
  return job;
}

/** Bytes of a job's data, options and name. */
export function sizeOf({ name, data, opts }: CheckedJob): number {
  return Buffer.byteLength(name) + Buffer.byteLength(data) + Buffer.byteLength(opts);
}

function dueTime(
  due: NonNullable<AddJobItem['options']>['due'],
  field: string,
): Pick<NewJob, 'delay' | 'dueAt'> {
  if (due?.$case === 'delay') return { delay: durationMs(due.value, `${field}.delay`, {}) ?? 0 };
  if (due?.$case === 'runAt') return { dueAt: instantMs(due.value, `${field}.run_at`) };
  return {};
}
