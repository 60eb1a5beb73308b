import { getState, type QueueKeys, type Store } from '@echomq/core';
import { makeNextRun, storeTime } from './next-run.js';

/** Schedulers looked at in one go. */
const MOST = 100;

/**
 * Makes the next runs that are missing: a crash between the taking of a run and the making of the next, a run that
 * somebody removed, a peer that did not do its part. A scheduler whose run still waits is left alone. Returns the ids
 * of the schedulers that were mended.
 */
export async function repairSchedulers(store: Store, queue: QueueKeys): Promise<string[]> {
  const now = await storeTime(store);
  const overdue = (await store.command('ZRANGEBYSCORE', [
    queue.schedulers,
    '-inf',
    now,
    'WITHSCORES',
    'LIMIT',
    0,
    MOST,
  ])) as Buffer[];
  const mended: string[] = [];
  for (let i = 0; i + 1 < overdue.length; i += 2) {
    const schedulerId = String(overdue[i]);
    const id = `repeat:${schedulerId}:${Math.trunc(Number(String(overdue[i + 1])))}`;
    if (await stillWaits(store, queue, id)) continue;
    if (await makeNextRun(store, queue, { id, schedulerId })) mended.push(schedulerId);
  }
  return mended;
}

async function stillWaits(store: Store, queue: QueueKeys, id: string): Promise<boolean> {
  const state = await getState(store, queue, id);
  return state === 'waiting' || state === 'delayed' || state === 'prioritized';
}
