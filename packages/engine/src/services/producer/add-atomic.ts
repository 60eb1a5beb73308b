import {
  type AddOutcome,
  addJobs,
  BatchRejected,
  EchoMQError,
  InvalidRequest,
  type NewJob,
} from '@echomq/core';
import type { AddJobItem, AddJobsResponse } from '@echomq/proto/messages';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import type { RequestReceipts } from '../../receipts/request-receipts.js';
import { tooLarge } from '../../validation/json-payload.js';
import { namedError } from '../named-error.js';
import { ofLongData } from './add-refusal.js';
import { addedJob } from './added-job.js';
import { sizeOf } from './checked-job.js';
import { crossSlot, hashTag } from './parent-link.js';
import { type PreparedJob, preparedJob } from './prepared-job.js';

/**
 * Adds all items or none, in one script. They belong to one queue: a script's keys are declared, and a cluster keeps two
 * queues apart.
 *
 * @throws EchoMQError of the first item that is refused, with its index in the field's path.
 */
export async function addAtomic(
  deps: Pick<EngineDeps, 'slots' | 'store' | 'names' | 'limits'>,
  items: readonly AddJobItem[],
  request: RepeatableBulk = {},
): Promise<AddJobsResponse> {
  const prepared = items.map((item, i) => preparedJob(deps, item, `items[${i}].`));
  const queue = prepared[0]?.queue;
  if (queue === undefined) return { results: [], duplicateRequest: false };
  checkOneQueue(deps, queue, prepared);
  const size = prepared.reduce((sum, { job }) => sum + sizeOf(job), 0);
  const limit = deps.limits.maxAtomicBulkBytes;
  if (size > limit) throw tooLarge('items', limit, size);

  const jobs = prepared.map(({ job }) => job);
  const outcomes = await send(deps, { queue, jobs, request }).catch((error) => {
    throw error instanceof BatchRejected ? ofItem(queue, error) : namedError(error, queue);
  });
  const added = outcomes.map(async (outcome, i) => {
    const named = prepared[i]?.queue ?? queue;
    return { result: { $case: 'added' as const, value: await addedJob(deps, named, outcome) } };
  });
  const duplicateRequest = outcomes.some(({ replayed }) => replayed);
  return { results: await Promise.all(added), duplicateRequest };
}

/** How the bulk may come again: by the id of a request from this process, or with receipts. */
interface RepeatableBulk {
  readonly near?: string;
  readonly receipts?: RequestReceipts | undefined;
}

function send(
  { slots, store }: Pick<EngineDeps, 'slots' | 'store'>,
  bulk: {
    readonly queue: NamedQueue;
    readonly jobs: readonly NewJob[];
    readonly request: RepeatableBulk;
  },
): Promise<AddOutcome[]> {
  const { queue, jobs, request } = bulk;
  if (request.near) {
    return slots.within(queue.keys, request.near, (receipt) =>
      addJobs(store, queue.keys, jobs, { receipt }),
    );
  }
  const receipt = request.receipts?.of(queue);
  return addJobs(store, queue.keys, jobs, receipt ? { receipt } : {});
}

function checkOneQueue(
  { store }: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  prepared: readonly PreparedJob[],
): void {
  const other = prepared.findIndex((job) => job.queue.keys.base !== queue.keys.base);
  if (other < 0) return;
  const field = `items[${other}].queue`;
  const apart = store.redis.cluster && hashTag(prepared[other]?.queue ?? queue) !== hashTag(queue);
  if (apart) throw crossSlot('the jobs of an atomic bulk', field);
  throw new InvalidRequest(field, 'an atomic bulk adds to one queue; PER_ITEM takes several');
}

/** The script names the item by its index. It refuses a parent, or what is beyond a limit of the queue. */
function ofItem(queue: NamedQueue, rejected: BatchRejected): unknown {
  const tooLong = ofLongData(rejected, `items[${rejected.index}].data`);
  if (tooLong) return tooLong;
  if (rejected.reason === 'QUEUE_FULL') return namedError(rejected, queue);
  const field = `items[${rejected.index}].parent`;
  return new EchoMQError(`${field}: ${rejected.message}`, {
    code: rejected.code,
    reason: rejected.reason,
    metadata: { queue: queue.name, field },
    cause: rejected,
  });
}
