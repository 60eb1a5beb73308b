import { readEvents } from '../../events/event-log.js';
import type { Following } from '../../events/event-tail.js';
import type { EventApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { readMethod } from '../unary-method.js';
import { Alarm } from './alarm.js';
import {
  batchSize,
  beginAt,
  type EventDeps,
  filterOf,
  refuseWhenCrowded,
  select,
} from './event-query.js';

/** Answers come so long before the caller's deadline, ms. */
const DEADLINE_MARGIN_MS = 500;

/** EventService.PollEvents: one look at the events after a cursor, with a wait for the first of them. */
export function pollEvents(deps: EventDeps): EventApi['pollEvents'] {
  return readMethod(deps, async (request, context) => {
    const { keys } = deps.names.resolve(request.queue);
    const waitMs = durationMs(request.wait, 'wait', { max: deps.limits.maxWaitMs, fallback: 0 });
    const most = batchSize(request.maxBatch);
    const filter = filterOf(request);
    if (waitMs > 0) refuseWhenCrowded(deps);
    const begin = await beginAt(deps, keys.events, request);
    const now = deps.clock.now();
    const limit = context.deadline === undefined ? Infinity : context.deadline - DEADLINE_MARGIN_MS;
    const until = Math.min(now + waitMs, limit);
    const alarm = new Alarm(deps.clock, [context.signal, deps.draining]);
    let following: Following | undefined;
    try {
      if (waitMs > 0) following = await deps.tail.follow(keys.events, () => alarm.ring());
      for (let { cursor } = begin; ; ) {
        const page = await readEvents(deps.store, keys.events, cursor, most);
        const batch = select(page.entries, filter, deps.limits.maxResponseBytes);
        cursor = batch.cursor ?? cursor;
        const leftMs = until - deps.clock.now();
        const over = leftMs <= 0 || context.signal.aborted || deps.draining.aborted;
        if (batch.events.length > 0 || over) {
          return { events: batch.events, cursor, oldest: begin.oldest };
        }
        if (page.entries.length === 0) await alarm.wait(leftMs);
      }
    } finally {
      following?.stop();
      alarm.close();
    }
  });
}
