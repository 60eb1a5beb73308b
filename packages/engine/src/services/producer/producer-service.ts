import type { EngineDeps } from '../../ports.js';
import type { ProducerApi } from '../../service.js';
import { unavailable } from '../unavailable.js';
import { addJob } from './addJob.js';
import { addJobs } from './addJobs.js';

/** ProducerService: AddJob and AddJobs. */
export function producerService(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock' | 'logger'>,
): ProducerApi {
  return {
    addJob: addJob(deps),
    addJobs: addJobs(deps),
    addFlow: unavailable('AddFlow'),
    waitJob: unavailable('WaitJob'),
  };
}
