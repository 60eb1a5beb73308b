import { InvalidRequest, type NewJob } from '@echomq/core';
import type { AddJobItem } from '@echomq/proto/messages';
import { storedDeduplication } from '../../messages/deduplication.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { customJobId } from '../../validation/job-id.js';
import { checkedJob, type Writable } from './checked-job.js';
import { parentLink } from './parent-link.js';

/** A job that has passed all checks and can be added as it is. */
export interface PreparedJob {
  readonly queue: NamedQueue;
  /** Made for this add: whoever carries it out may put its receipt in. */
  readonly job: Writable<NewJob>;
}

/**
 * Checks an item of an add and turns it into what the core adds.
 *
 * @param path what the item's fields are named after in messages: empty, or `items[3].`.
 * @throws InvalidRequest naming the field; EchoMQError CROSS_SLOT for a parent out of reach.
 */
export function preparedJob(
  deps: Pick<EngineDeps, 'names' | 'store' | 'limits'>,
  item: AddJobItem,
  path = '',
): PreparedJob {
  const queue = deps.names.resolve(item.queue, `${path}queue`);
  const { options, parent } = item;
  const policy = options?.parentFailurePolicy;
  const link = parent && parentLink(deps, { queue, policy }, parent, `${path}parent`);
  const checked = checkedJob(deps, item, path, link?.options);
  const customId = options?.jobId ? customJobId(options.jobId, `${path}options.job_id`) : undefined;
  const field = `${path}options.deduplication`;
  const deduplication = storedDeduplication(options?.deduplication, field);
  // The parent would wait for a job that does not come to be.
  if (deduplication && link) throw new InvalidRequest(field, 'cannot go with a parent');
  const job: Writable<NewJob> = checked;
  if (customId !== undefined) job.customId = customId;
  if (link) job.parent = link.job;
  if (deduplication) job.deduplication = deduplication;
  return { queue, job };
}
