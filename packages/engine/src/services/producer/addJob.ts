import { addJob as add } from '@echomq/core';
import type { EngineDeps } from '../../ports.js';
import type { ProducerApi } from '../../service.js';
import { namedError } from '../named-error.js';
import { writeMethod } from '../unary-method.js';
import { addedJob } from './added-job.js';
import { preparedJob } from './prepared-job.js';

/**
 * ProducerService.AddJob. `request_id` is taken and not yet looked at: a repeated call without a job id of the caller's
 * choice adds again, and the capability `receipts` says so.
 */
export function addJob(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock'>,
): ProducerApi['addJob'] {
  return writeMethod(deps, async (request) => {
    const { queue, job } = preparedJob(deps, request);
    const outcome = await add(deps.store, queue.keys, job).catch((error) => {
      throw namedError(error, queue);
    });
    return { ...(await addedJob(deps, queue, outcome)), replayed: false };
  });
}
