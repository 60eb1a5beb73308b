import { InvalidRequest } from '@echomq/core';
import type { Scheduler } from '@echomq/proto/messages';
import type { EngineDeps } from '../../ports.js';
import { readScheduler } from '../../scheduling/scheduler-record.js';
import type { SchedulerApi } from '../../service.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { readMethod } from '../unary-method.js';
import { schedulerMessage } from './scheduler-message.js';

/** SchedulerService.ListSchedulers. Legacy repeatables and members without a record are left out, never deleted. */
export function listSchedulers(
  deps: Pick<EngineDeps, 'store' | 'names' | 'limits' | 'clock'>,
): SchedulerApi['listSchedulers'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const key = queue.keys.schedulers;
    const list = ['schedulers', queue.keys.base, request.descending];
    const [first = 0] = pagePosition(request.pageToken, list) ?? [];
    if (typeof first !== 'number') {
      throw new InvalidRequest('page_token', 'is no token of this list');
    }
    const last = first + pageSize(request.pageSize, deps.limits) - 1;
    const [rows, total] = await Promise.all([
      deps.store.command(request.descending ? 'ZREVRANGE' : 'ZRANGE', [
        key,
        first,
        last,
        'WITHSCORES',
      ]),
      deps.store.command('ZCARD', [key]),
    ]);
    const pairs = rows as Buffer[];
    const ids = pairs.filter((_, i) => i % 2 === 0).map(String);
    const records = await Promise.all(ids.map((id) => readScheduler(deps.store, queue.keys, id)));
    const schedulers: Scheduler[] = [];
    records.forEach((record, i) => {
      const dueAt = Number(String(pairs[2 * i + 1]));
      if (record) schedulers.push(schedulerMessage(queue, ids[i] as string, record, dueAt));
    });
    const next = first + ids.length;
    const more = ids.length > 0 && next < Number(total);
    return { schedulers, total: Number(total), nextPageToken: more ? pageToken(list, [next]) : '' };
  });
}
