import type { EngineDeps } from '../../ports.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { ProducerApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { addRefusal } from './add-refusal.js';
import { addedJob } from './added-job.js';
import { preparedJob } from './prepared-job.js';

/** ProducerService.AddJob. A call with a `request_id` that comes again adds nothing and answers as the first did. */
export function addJob(
  deps: Pick<EngineDeps, 'adds' | 'store' | 'names' | 'limits' | 'clock'>,
): ProducerApi['addJob'] {
  return writeMethod(deps, async (request, context) => {
    const { queue, job } = preparedJob(deps, request);
    const { requestId } = request;
    const body = () => bodyOf.addJob(request);
    const receipt = receiptsOf({ rpc: 'AddJob', requestId, body }, context)?.of(queue);
    const noted = receipt ? { ...job, receipt } : job;
    const outcome = await deps.adds.add(queue.keys, noted).catch((error) => {
      throw addRefusal(error, queue, 'data');
    });
    return { ...(await addedJob(deps, queue, outcome)), replayed: outcome.replayed ?? false };
  });
}
