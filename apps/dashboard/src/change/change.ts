import type { Unary } from '@echomq/engine';
import {
  CancelJobRequest,
  CancelJobResponse,
  CleanQueueRequest,
  CleanQueueResponse,
  DrainQueueRequest,
  DrainQueueResponse,
  PauseQueueRequest,
  PauseQueueResponse,
  PromoteJobRequest,
  PromoteJobResponse,
  PromoteJobsRequest,
  PromoteJobsResponse,
  RemoveJobRequest,
  RemoveJobResponse,
  RemoveSchedulerRequest,
  RemoveSchedulerResponse,
  ResumeQueueRequest,
  ResumeQueueResponse,
  RetryJobRequest,
  RetryJobResponse,
  RetryJobsRequest,
  RetryJobsResponse,
} from '@echomq/proto/messages';
import type { Caller, RequestContext } from '../caller.js';
import { Refusal } from '../http/answer.js';

interface Reads<T> {
  fromJSON(object: unknown): T;
}
interface Writes<T> {
  toJSON(message: T): unknown;
}

type Change = (body: unknown, asked: Asked) => Promise<unknown>;

/** Who asks. */
export interface Asked {
  readonly caller: Caller;
  readonly context: RequestContext;
}

/** A call of the contract, in protobuf's JSON both ways. */
function call<Request, Response>(
  method: (services: Caller['services']) => Unary<Request, Response>,
  reads: Reads<Request>,
  writes: Writes<Response>,
): Change {
  return async (body, { caller, context }) =>
    writes.toJSON(await method(caller.services)(reads.fromJSON(body), context));
}

/** All that the page can change, by the names that the contract has for it. */
const CHANGES: ReadonlyMap<string, Change> = new Map([
  ['retryJob', call(({ queue }) => queue.retryJob, RetryJobRequest, RetryJobResponse)],
  ['promoteJob', call(({ queue }) => queue.promoteJob, PromoteJobRequest, PromoteJobResponse)],
  ['removeJob', call(({ queue }) => queue.removeJob, RemoveJobRequest, RemoveJobResponse)],
  ['cancelJob', call(({ queue }) => queue.cancelJob, CancelJobRequest, CancelJobResponse)],
  ['retryJobs', call(({ queue }) => queue.retryJobs, RetryJobsRequest, RetryJobsResponse)],
  ['promoteJobs', call(({ queue }) => queue.promoteJobs, PromoteJobsRequest, PromoteJobsResponse)],
  ['pauseQueue', call(({ queue }) => queue.pauseQueue, PauseQueueRequest, PauseQueueResponse)],
  ['resumeQueue', call(({ queue }) => queue.resumeQueue, ResumeQueueRequest, ResumeQueueResponse)],
  ['drainQueue', call(({ queue }) => queue.drainQueue, DrainQueueRequest, DrainQueueResponse)],
  ['cleanQueue', call(({ queue }) => queue.cleanQueue, CleanQueueRequest, CleanQueueResponse)],
  [
    'removeScheduler',
    call(
      ({ scheduler }) => scheduler.removeScheduler,
      RemoveSchedulerRequest,
      RemoveSchedulerResponse,
    ),
  ],
]);

/** Makes a change. @throws EchoMQError as the call of the contract does; Refusal for one that there is not */
export async function change(name: string, body: unknown, asked: Asked): Promise<unknown> {
  const known = CHANGES.get(name);
  if (!known) throw new Refusal(404, 'NOT_FOUND', 'NOT_FOUND', `no change ${name}`);
  return known(body, asked);
}
