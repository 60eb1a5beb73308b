import type { AddOutcome } from '@echomq/core';
import type { AddJobRequest, AddJobResponse } from '@echomq/proto/messages';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { CallContext, ProducerApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { addRefusal } from './add-refusal.js';
import { addedJob, newJob } from './added-job.js';
import { type PreparedJob, preparedJob } from './prepared-job.js';

/** ProducerService.AddJob. A call with a `request_id` that comes again adds nothing and answers as the first did. */
export function addJob(
  deps: Pick<EngineDeps, 'adds' | 'slots' | 'store' | 'names' | 'limits' | 'clock'>,
): ProducerApi['addJob'] {
  return writeMethod(deps, (request, context) => {
    const { queue, job } = preparedJob(deps, request);
    return add(deps, request, { queue, job, context }).then(
      (outcome) => answer(deps, queue, outcome),
      (error) => {
        throw addRefusal(error, queue, 'data');
      },
    );
  });
}

function answer(
  deps: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  outcome: AddOutcome,
): AddJobResponse | Promise<AddJobResponse> {
  const replayed = outcome.replayed ?? false;
  if (outcome.state) {
    const { jobId, outcome: done, existingJobId, state } = newJob(outcome, outcome.state);
    return { jobId, outcome: done, existingJobId, state, replayed };
  }
  return addedJob(deps, queue, outcome).then((added) => ({ ...added, replayed }));
}

function add(
  { adds, slots }: Pick<EngineDeps, 'adds' | 'slots'>,
  request: AddJobRequest,
  { queue, job, context }: Pick<PreparedJob, 'queue' | 'job'> & { readonly context: CallContext },
): Promise<AddOutcome> {
  const { requestId } = request;
  if (requestId === '') return adds.add(queue.keys, job);
  if (context.near) {
    return slots.within(queue.keys, requestId, (receipt) => {
      job.receipt = receipt;
      return adds.add(queue.keys, job);
    });
  }
  const body = () => bodyOf.addJob(request);
  const receipt = receiptsOf({ rpc: 'AddJob', requestId, body }, context)?.of(queue);
  if (receipt) job.receipt = receipt;
  return adds.add(queue.keys, job);
}
