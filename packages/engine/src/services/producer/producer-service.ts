import type { EngineDeps } from '../../ports.js';
import type { ProducerApi } from '../../service.js';
import { addFlow } from './addFlow.js';
import { addJob } from './addJob.js';
import { addJobs } from './addJobs.js';

/** ProducerService but WaitJob, which needs the events. */
export function producerService(
  deps: Pick<EngineDeps, 'adds' | 'slots' | 'store' | 'names' | 'limits' | 'clock' | 'logger'>,
): Omit<ProducerApi, 'waitJob'> {
  return { addJob: addJob(deps), addJobs: addJobs(deps), addFlow: addFlow(deps) };
}
