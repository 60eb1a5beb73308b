import type { EngineDeps } from '../../ports.js';
import { readScheduler } from '../../scheduling/scheduler-record.js';
import type { SchedulerApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { schedulerIdOf } from './scheduler-id.js';
import { schedulerMessage, schedulerNotFound } from './scheduler-message.js';

/** SchedulerService.GetScheduler. */
export function getScheduler(
  deps: Pick<EngineDeps, 'store' | 'names' | 'clock'>,
): SchedulerApi['getScheduler'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const schedulerId = schedulerIdOf(request.schedulerId);
    const [record, score] = await Promise.all([
      readScheduler(deps.store, queue.keys, schedulerId),
      deps.store.command('ZSCORE', [queue.keys.schedulers, schedulerId]),
    ]);
    if (!record || score === null) throw schedulerNotFound(queue, schedulerId);
    return { scheduler: schedulerMessage(queue, schedulerId, record, Number(String(score))) };
  });
}
