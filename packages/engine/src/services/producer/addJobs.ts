import { InvalidRequest } from '@echomq/core';
import { AddMode } from '@echomq/proto/messages';
import type { EngineDeps } from '../../ports.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { ProducerApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { addAtomic } from './add-atomic.js';
import { addPerItem } from './add-per-item.js';

/**
 * ProducerService.AddJobs. ATOMIC is one script for the jobs of one queue; PER_ITEM is one add per item, sent together,
 * each with an answer of its own. `request_id`: see AddJob; items that an earlier call has added are not added again.
 */
export function addJobs(
  deps: Pick<EngineDeps, 'adds' | 'slots' | 'store' | 'names' | 'limits' | 'clock' | 'logger'>,
): ProducerApi['addJobs'] {
  return writeMethod(deps, async (request, context) => {
    const { queue, items, mode, requestId } = request;
    const { maxBulkItems } = deps.limits;
    if (items.length > maxBulkItems) {
      throw new InvalidRequest('items', `must be at most ${maxBulkItems}, are ${items.length}`);
    }
    // The request may be frozen: an item without a queue is copied, not completed.
    const whole = items.map((item) => (item.queue === '' ? { ...item, queue } : item));
    const body = () => bodyOf.addJobs(request);
    const receipts = () => receiptsOf({ rpc: 'AddJobs', requestId, body }, context);
    switch (mode) {
      case undefined:
      case AddMode.UNSPECIFIED:
      case AddMode.ATOMIC:
        if (context.near) return addAtomic(deps, whole, { near: requestId });
        return addAtomic(deps, whole, { receipts: receipts() });
      case AddMode.PER_ITEM:
        // A near caller gets the outcome of each item, whatever it is: it has nothing to repeat.
        return addPerItem(deps, whole, context.near ? undefined : receipts());
      default:
        throw new InvalidRequest('mode', 'is no known mode');
    }
  });
}
