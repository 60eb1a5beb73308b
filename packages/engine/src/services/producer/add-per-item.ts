import { addJob } from '@echomq/core';
import type { AddJobItem, AddJobResult } from '@echomq/proto/messages';
import { errorReport, statusOf } from '../../messages/status.js';
import type { EngineDeps } from '../../ports.js';
import { tooLarge } from '../../validation/json-payload.js';
import { namedError } from '../named-error.js';
import { addedJob } from './added-job.js';
import { preparedJob } from './prepared-job.js';

/**
 * Adds each item by itself: as many results as items, in their order, each the job or the reason why there is none. The
 * adds leave in one turn, in the order of the items.
 *
 * @throws InvalidRequest PAYLOAD_TOO_LARGE when the items together have more bytes than a message should.
 */
export function addPerItem(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'logger'>,
  items: readonly AddJobItem[],
): Promise<AddJobResult[]> {
  const size = items.reduce((sum, item) => sum + (item.data?.length ?? 0), 0);
  const limit = deps.limits.maxResponseBytes;
  if (size > limit) throw tooLarge('items', limit, size);
  return Promise.all(items.map((item, i) => addItem(deps, item, `items[${i}].`)));
}

async function addItem(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'logger'>,
  item: AddJobItem,
  path: string,
): Promise<AddJobResult> {
  try {
    const { queue, job } = preparedJob(deps, item, path);
    const outcome = await addJob(deps.store, queue.keys, job).catch((error) => {
      throw namedError(error, queue);
    });
    return { result: { $case: 'added', value: await addedJob(deps, queue, outcome) } };
  } catch (error) {
    const { id } = errorReport(error);
    if (id !== undefined) deps.logger.error('rpc.failed', { id, error: String(error) });
    return { result: { $case: 'error', value: statusOf(error) } };
  }
}
