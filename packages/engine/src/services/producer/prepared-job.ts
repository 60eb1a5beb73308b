import type { NewJob } from '@echomq/core';
import type { AddJobItem } from '@echomq/proto/messages';
import { encodeOptions } from '../../messages/job-options.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { durationMs, instantMs } from '../../validation/duration.js';
import { customJobId } from '../../validation/job-id.js';
import { jobName } from '../../validation/job-name.js';
import { jsonPayload, tooLarge } from '../../validation/json-payload.js';
import { featureDisabled } from '../unavailable.js';
import { parentLink } from './parent-link.js';

/** A job that has passed all checks and can be added as it is. */
export interface PreparedJob {
  readonly queue: NamedQueue;
  readonly job: NewJob;
  /** Bytes of its data, options and name. */
  readonly size: number;
}

/**
 * Checks an item of an add and turns it into what the core adds. Nothing of the item is changed or copied but its
 * options, which are written as JSON here.
 *
 * @param path what the item's fields are named after in messages: empty, or `items[3].`.
 * @throws InvalidRequest naming the field; EchoMQError FEATURE_DISABLED for what this version cannot keep its word on,
 * CROSS_SLOT for a parent out of reach.
 */
export function preparedJob(
  deps: Pick<EngineDeps, 'names' | 'store' | 'limits'>,
  item: AddJobItem,
  path = '',
): PreparedJob {
  const queue = deps.names.resolve(item.queue, `${path}queue`);
  const name = jobName(item.name, `${path}name`);
  const { options } = item;
  const data = jsonPayload(item.data, `${path}data`, { limits: deps.limits, empty: '{}' });
  const sizeLimit = options?.sizeLimit;
  if (sizeLimit !== undefined && data.length > sizeLimit) {
    throw tooLarge(`${path}data`, sizeLimit, data.length);
  }
  if (options?.deduplication) throw featureDisabled(`${path}options.deduplication`);
  const customId = options?.jobId ? customJobId(options.jobId, `${path}options.job_id`) : undefined;
  // A job that exists already would not be linked to the parent, and the parent would not wait for it.
  if (item.parent && customId) throw featureDisabled(`${path}parent with options.job_id`);
  const policy = options?.parentFailurePolicy;
  const link = item.parent && parentLink(deps, { queue, policy }, item.parent, `${path}parent`);
  const opts = encodeOptions(options, `${path}options`, link?.options);
  const job = {
    ...(customId === undefined ? {} : { customId }),
    name,
    data,
    opts,
    ...dueTime(options?.due, `${path}options`),
    ...(options?.priority ? { priority: options.priority } : {}),
    ...(options?.lifo ? { lifo: true } : {}),
    ...(link ? { parent: link.job } : {}),
  };
  return { queue, job, size: data.length + Buffer.byteLength(opts) + Buffer.byteLength(name) };
}

function dueTime(
  due: NonNullable<AddJobItem['options']>['due'],
  field: string,
): Pick<NewJob, 'delay' | 'dueAt'> {
  if (due?.$case === 'delay') return { delay: durationMs(due.value, `${field}.delay`, {}) ?? 0 };
  if (due?.$case === 'runAt') return { dueAt: instantMs(due.value, `${field}.run_at`) };
  return {};
}
