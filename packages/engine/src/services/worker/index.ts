import { ContractBroken, EchoMQError } from '@echomq/core';
import type { Unary, WorkerApi } from '../../service.js';
import { appendLogs } from './appendLogs.js';
import { extendLocks } from './extendLocks.js';
import { fetchJobs } from './fetchJobs.js';
import { finishJob } from './finishJob.js';
import { finishJobs } from './finishJobs.js';
import { getChildrenValues } from './getChildrenValues.js';
import { getJobData } from './getJobData.js';
import { updateJobData } from './updateJobData.js';
import { updateProgress } from './updateProgress.js';
import { work } from './work.js';
import type { WorkerDeps } from './worker-deps.js';

/** WorkerService. Every method rejects with an `EchoMQError` and with nothing else. */
export function workerService(deps: WorkerDeps): WorkerApi {
  const guarded = <Request, Response>(
    rpc: string,
    method: Unary<Request, Response>,
  ): Unary<Request, Response> => {
    return async (request, context) => {
      try {
        return await method(request, context);
      } catch (error) {
        throw known(rpc, error);
      }
    };
  };
  const known = (rpc: string, error: unknown): EchoMQError => {
    if (error instanceof EchoMQError && error.code !== 'INTERNAL') return error;
    deps.logger.error('rpc.failed', { rpc, error: String(error) });
    return error instanceof EchoMQError ? error : new ContractBroken(`${rpc} failed`, error);
  };
  return {
    fetchJobs: guarded('FetchJobs', (request, context) => fetchJobs(request, context, deps)),
    finishJob: guarded('FinishJob', (request, context) => finishJob(request, context, deps)),
    finishJobs: guarded('FinishJobs', (request, context) => finishJobs(request, context, deps)),
    extendLocks: guarded('ExtendLocks', (request, context) => extendLocks(request, deps, context)),
    updateProgress: guarded('UpdateProgress', (request) => updateProgress(request, deps)),
    appendLogs: guarded('AppendLogs', (request, context) => appendLogs(request, deps, context)),
    updateJobData: guarded('UpdateJobData', (request) => updateJobData(request, deps)),
    getChildrenValues: guarded('GetChildrenValues', (request) => getChildrenValues(request, deps)),
    getJobData: (request, context) => getJobData(request, context, deps),
    work: async (link, context) => {
      try {
        await work(link, context, deps);
      } catch (error) {
        throw known('Work', error);
      }
    },
  };
}
