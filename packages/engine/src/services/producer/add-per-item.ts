import type { AddJobItem, AddJobResult, AddJobsResponse } from '@echomq/proto/messages';
import { errorReport, statusOf } from '../../messages/status.js';
import type { EngineDeps } from '../../ports.js';
import { refuseReused } from '../../receipts/refuse-reused.js';
import type { RequestReceipts } from '../../receipts/request-receipts.js';
import { tooLarge } from '../../validation/json-payload.js';
import { addRefusal } from './add-refusal.js';
import { addedJob } from './added-job.js';
import { preparedJob } from './prepared-job.js';

/**
 * Adds each item by itself: as many results as items, in their order, each the job or the reason why there is none. The
 * adds leave in one turn, in the order of the items, and those of one queue as few scripts.
 *
 * @param receipts of the request: an item that an earlier call has added is not added again.
 * @throws InvalidRequest PAYLOAD_TOO_LARGE when the items together have more bytes than a message should;
 * REQUEST_ID_REUSED when that is what each of them met.
 */
export async function addPerItem(
  deps: Pick<EngineDeps, 'adds' | 'store' | 'names' | 'limits' | 'logger'>,
  items: readonly AddJobItem[],
  receipts?: RequestReceipts,
): Promise<AddJobsResponse> {
  const size = items.reduce((sum, item) => sum + (item.data?.length ?? 0), 0);
  const limit = deps.limits.maxResponseBytes;
  if (size > limit) throw tooLarge('items', limit, size);
  const ends = await Promise.all(items.map((item, i) => addItem(deps, item, { at: i, receipts })));
  refuseReused(ends);
  const duplicateRequest = ends.some(({ replayed }) => replayed);
  return { results: ends.map(({ result }) => result), duplicateRequest };
}

/** What became of an item. */
interface ItemEnd {
  readonly result: AddJobResult;
  readonly replayed?: boolean;
  readonly error?: unknown;
}

async function addItem(
  deps: Pick<EngineDeps, 'adds' | 'store' | 'names' | 'limits' | 'logger'>,
  item: AddJobItem,
  { at, receipts }: { readonly at: number; readonly receipts: RequestReceipts | undefined },
): Promise<ItemEnd> {
  try {
    const { queue, job } = preparedJob(deps, item, `items[${at}].`);
    const noted = receipts ? { ...job, receipt: receipts.ofPart(queue, at) } : job;
    const outcome = await deps.adds.add(queue.keys, noted).catch((error) => {
      throw addRefusal(error, queue, `items[${at}].data`);
    });
    const value = await addedJob(deps, queue, outcome);
    const { replayed = false } = outcome;
    return { result: { result: { $case: 'added', value } }, replayed };
  } catch (error) {
    const { id } = errorReport(error);
    if (id !== undefined) deps.logger.error('rpc.failed', { id, error: String(error) });
    return { result: { result: { $case: 'error', value: statusOf(error) } }, error };
  }
}
