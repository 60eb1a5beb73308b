import { durationToMs, ListSchedulersRequest, type Scheduler } from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';

/** The schedulers of a queue, the next run first. */
export async function showSchedulers(fields: Fields, { caller, context }: Asked) {
  const request = ListSchedulersRequest.fromPartial({
    queue: fields.text('queue'),
    pageToken: fields.text('pageToken'),
  });
  const { schedulers, ...page } = await caller.services.scheduler.listSchedulers(request, context);
  return { ...page, schedulers: schedulers.map(shown) };
}

function shown({ schedulerId, schedule, template, nextRun, nextJobId, iterations }: Scheduler) {
  const repeat = schedule?.repeat;
  return {
    id: schedulerId,
    everyMs: repeat?.$case === 'every' ? durationToMs(repeat.value) : undefined,
    cron: repeat?.$case === 'cron' ? repeat.value.expression : undefined,
    timeZone: repeat?.$case === 'cron' ? repeat.value.timeZone : undefined,
    limit: schedule?.limit,
    endAt: schedule?.endAt?.getTime(),
    jobName: template?.name === '' ? schedulerId : template?.name,
    nextRun: nextRun?.getTime(),
    nextJobId,
    iterations,
  };
}
