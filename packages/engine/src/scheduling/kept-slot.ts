import { getState, type QueueKeys, type Store } from '@echomq/core';
import type { CronRule } from './cron.js';
import { readScheduler } from './scheduler-record.js';

/** A cron schedule that is about to be written again; `now` by the store's clock, ms. */
interface Rewrite {
  readonly schedulerId: string;
  readonly schedule: Partial<CronRule> & { readonly immediately: boolean };
  readonly now: number;
}

/**
 * The slot of a run that is due and still waits, where the calendar stays the same: writing the schedule again must not
 * skip that run. `undefined` when there is none, and for intervals, whose slots the script keeps itself.
 */
export async function keptSlot(
  store: Store,
  queue: QueueKeys,
  { schedulerId, schedule, now }: Rewrite,
): Promise<number | undefined> {
  if (schedule.pattern === undefined || schedule.immediately) return undefined;
  const [record, score] = await Promise.all([
    readScheduler(store, queue, schedulerId),
    store.command('ZSCORE', [queue.schedulers, schedulerId]),
  ]);
  if (!record || score === null) return undefined;
  const slot = Number(String(score));
  const same = record.pattern === schedule.pattern && record.timeZone === schedule.timeZone;
  if (!same || slot > now || slot < (schedule.startAt ?? 0)) return undefined;
  const state = await getState(store, queue, `repeat:${schedulerId}:${slot}`);
  const waits = state === 'waiting' || state === 'prioritized' || state === 'delayed';
  return waits ? slot : undefined;
}
