import type { EngineDeps } from '../../ports.js';
import type { SchedulerApi } from '../../service.js';
import { getScheduler } from './getScheduler.js';
import { listSchedulers } from './listSchedulers.js';
import { previewSchedule } from './previewSchedule.js';
import { removeScheduler } from './removeScheduler.js';
import { upsertScheduler } from './upsertScheduler.js';

/** SchedulerService. The next runs are made by the dispatcher, before each delivery. */
export function schedulerService(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock'>,
): SchedulerApi {
  return {
    upsertScheduler: upsertScheduler(deps),
    getScheduler: getScheduler(deps),
    listSchedulers: listSchedulers(deps),
    removeScheduler: removeScheduler(deps),
    previewSchedule: previewSchedule(deps),
  };
}
