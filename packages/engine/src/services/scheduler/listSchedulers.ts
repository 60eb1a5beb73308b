import { InvalidRequest } from '@echomq/core';
import type { EngineDeps } from '../../ports.js';
import { readScheduler } from '../../scheduling/scheduler-record.js';
import { scoredMembers } from '../../scheduling/scored-members.js';
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
    const range = request.descending ? 'ZREVRANGE' : 'ZRANGE';
    const [rows, total] = await Promise.all([
      deps.store.command(range, [key, first, last, 'WITHSCORES']),
      deps.store.command('ZCARD', [key]),
    ]);
    const members = scoredMembers(rows);
    const records = await Promise.all(
      members.map(({ member }) => readScheduler(deps.store, queue.keys, member)),
    );
    const schedulers = members.flatMap(({ member, score }, i) => {
      const record = records[i];
      return record ? [schedulerMessage(queue, member, record, score)] : [];
    });
    const next = first + members.length;
    const more = members.length > 0 && next < Number(total);
    return { schedulers, total: Number(total), nextPageToken: more ? pageToken(list, [next]) : '' };
  });
}
