import { getState, type QueueKeys, type Store } from '@echomq/core';
import { makeNextRun, storeTime } from './next-run.js';
import { scoredMembers } from './scored-members.js';

/** Schedulers read in one go. */
const PAGE = 100;
/** Schedulers looked at in one repair: those at their end stay listed as overdue and must not hide the others. */
const MOST = 10_000;

/**
 * Makes the next runs that are missing: a crash between the taking of a run and the making of the next, a run that
 * somebody removed, a peer that did not do its part. A scheduler whose run still waits is left alone. Returns the ids
 * of the schedulers that were mended.
 */
export async function repairSchedulers(store: Store, queue: QueueKeys): Promise<string[]> {
  const now = await storeTime(store);
  const overdue: Overdue[] = [];
  // All are read before the first is mended: what is mended leaves the range.
  for (let page = await readOverdue(store, queue, { now, first: 0 }); page.length > 0; ) {
    overdue.push(...page);
    if (page.length < PAGE || overdue.length >= MOST) break;
    page = await readOverdue(store, queue, { now, first: overdue.length });
  }
  const mended: string[] = [];
  for (const { schedulerId, runId } of overdue) {
    if (await stillWaits(store, queue, runId)) continue;
    const opts = await store.command('HGET', [queue.job(runId), 'opts']);
    const run = { id: runId, schedulerId, ...(Buffer.isBuffer(opts) ? { opts } : {}) };
    if (await makeNextRun(store, queue, run)) mended.push(schedulerId);
  }
  return mended;
}

interface Overdue {
  readonly schedulerId: string;
  /** The run that it counts on. */
  readonly runId: string;
}

async function readOverdue(
  store: Store,
  queue: QueueKeys,
  { now, first }: { readonly now: number; readonly first: number },
): Promise<Overdue[]> {
  const range = ['-inf', now, 'WITHSCORES', 'LIMIT', first, PAGE];
  const rows = await store.command('ZRANGEBYSCORE', [queue.schedulers, ...range]);
  return scoredMembers(rows).map(({ member, score }) => {
    return { schedulerId: member, runId: `repeat:${member}:${Math.trunc(score)}` };
  });
}

async function stillWaits(store: Store, queue: QueueKeys, id: string): Promise<boolean> {
  const state = await getState(store, queue, id);
  return state === 'waiting' || state === 'delayed' || state === 'prioritized';
}
