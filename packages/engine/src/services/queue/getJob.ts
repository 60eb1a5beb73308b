import { getJobInState } from '@echomq/core';
import { JobView } from '@echomq/proto/messages';
import { adminJob } from '../../messages/job.js';
import { fitted } from '../../messages/sizes.js';
import type { QueueApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { type NamedJob, namedJob, type QueueDeps } from './named-job.js';
import { isWrongType, shownView } from './stored-jobs.js';

/** QueueService.GetJob. State and fields are read at one instant. */
export function getJob(deps: QueueDeps): QueueApi['getJob'] {
  return readMethod(deps, async (request) => {
    const named = namedJob(deps, request);
    const { queue, id } = named;
    const view = shownView(request.view, JobView.FULL);
    const [found, size] = await Promise.all([
      readInState(deps, named, view !== JobView.FULL),
      view === JobView.FULL ? 0 : readSize(deps, named),
    ]);
    if (!found) throw jobNotFound(queue, id);
    const dataSize = view === JobView.FULL ? found.job.data.length : size;
    const job = adminJob(queue, found.job, { state: found.state, view, dataSize });
    return { job: fitted(job, deps.limits.maxResponseBytes) };
  });
}

async function readInState({ store }: QueueDeps, { queue, id }: NamedJob, summary: boolean) {
  try {
    return await getJobInState(store, queue.keys, id, summary);
  } catch (error) {
    if (isWrongType(error)) return undefined;
    throw error;
  }
}

/** The size of the payload; a key that is no hash has none. */
async function readSize({ store }: QueueDeps, { queue, id }: NamedJob): Promise<number> {
  try {
    return Number(await store.command('HSTRLEN', [queue.keys.job(id), 'data']));
  } catch (error) {
    if (isWrongType(error)) return 0;
    throw error;
  }
}
