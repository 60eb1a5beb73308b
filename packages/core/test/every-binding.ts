import type { Script, ScriptArgs, ScriptKeys } from '@echomq/lua';
import { expect } from 'vitest';
import * as core from '../src/index.js';
import { NOW } from './use-store.js';

/** The names of all scripts, for what {@link callEveryBinding} returns. */
export const EVERY_SCRIPT: ReadonlySet<string> = new Set(Object.keys(core.SCRIPTS));

/**
 * Calls every binding at least once on an empty queue, with what it takes to succeed.
 *
 * @returns the names of the scripts that ran
 */
export async function callEveryBinding(
  store: core.Store,
  keys: core.QueueKeys,
): Promise<ReadonlySet<string>> {
  const noting = new NotingStore(store.redis);
  await workJobs(noting, keys);
  await workRelations(noting, keys);
  await workSchedules(noting, keys);
  await tidyUp(noting, keys);
  return noting.ran;
}

/** Notes the scripts that run. */
class NotingStore extends core.Store {
  readonly ran = new Set<string>();

  override run<S extends Script>(script: S, keys: ScriptKeys<S>, args: ScriptArgs<S>) {
    this.ran.add(script.name);
    return super.run(script, keys, args);
  }
}

/** Adds jobs of every kind, takes them and ends each in another way. */
async function workJobs(store: core.Store, keys: core.QueueKeys): Promise<void> {
  const job = { name: 'j', data: '1', opts: '{"attempts":9}', timestamp: NOW };
  const worker = (token: string) => ({ token, lockDuration: 60_000 });
  const take = async (token: string) => {
    const fetched = await core.moveToActive(store, keys, worker(token), NOW);
    if (fetched.kind !== 'job') throw new Error(`no job for ${token}: ${fetched.kind}`);
    return { jobId: fetched.job.id, token };
  };

  expect(await core.moveBatch(store, keys, [worker('none')])).toEqual([{ kind: 'idle' }]);
  await core.addStandardJob(store, keys, job);
  await core.addPrioritizedJob(store, keys, { ...job, priority: 2 });
  await core.addDelayedJob(store, keys, { ...job, customId: 'later', delay: 1e9 });
  await core.addDelayedJob(store, keys, { ...job, customId: 'due', delay: 1, timestamp: 1 });
  await core.addJobs(store, keys, [job, job], { now: NOW });
  await core.addBatch(store, keys, [job], NOW);
  expect(await core.promote(store, keys, 'later')).toBe('waiting');
  expect(await core.promoteDueJobs(store, keys, NOW)).toEqual({ moved: 1 });
  await core.pause(store, keys);
  await core.resume(store, keys);

  const first = await take('a');
  await core.updateProgress(store, keys, { ...first, progress: '1' });
  await core.updateData(store, keys, { ...first, data: '2' });
  const opts = { opts: '{"attempts":8}', readOpts: Buffer.from(job.opts) };
  expect(await core.updateJobOptions(store, keys, { jobId: first.jobId, ...opts })).toBe(true);
  await core.addLogs(store, keys, { ...first, rows: ['l'], keep: 0 });
  const lease = { id: first.jobId, token: 'a', lockDuration: 60_000 };
  await core.extendLock(store, keys, lease);
  expect(await core.extendLocks(store, keys, [lease])).toEqual(['EXTENDED']);
  const done = { ...first, target: 'completed', value: '1', fetchNext: true } as const;
  const options = { token: 'a', nextToken: 'b', lockDuration: 60_000 };
  const finished = await core.moveToFinished(store, keys, { ...done, options }, NOW);
  if (finished.next.kind !== 'job') throw new Error('no next job');
  const second = { jobId: finished.next.job.id, token: 'b' };
  await core.retryJob(store, keys, { ...second, reason: 'x' }, NOW);
  const until = { until: { delayMs: 1e9 }, skipAttempt: false };
  await core.moveToDelayed(store, keys, { ...(await take('c')), ...until }, NOW);
  await core.moveJobFromActiveToWait(store, keys, await take('d'));
  const receipt = { key: keys.requestReceipts('r'), field: 'fetch', digest: 'd', ttl: 60_000 };
  const noted = { ...worker('n'), receipt: { ...receipt, call: 'c', index: 0 } };
  expect((await core.moveToActive(store, keys, noted, NOW)).kind).toBe('job');
  const replayed = await core.replayFetch(store, keys, { receipt, lockDuration: 60_000 });
  const [again] = replayed?.jobs ?? [];
  if (!again) throw new Error('the fetch was not replayed');
  const unneeded = { jobId: again.job.id, token: again.token };
  await core.moveJobFromActiveToWait(store, keys, unneeded);
  const parent = await take('e');
  const child = { key: keys.job(parent.jobId), json: '{}' };
  await core.addStandardJob(store, keys, { ...job, customId: 'child', parent: child });
  expect(await core.moveToWaitingChildren(store, keys, parent, NOW)).toBe(true);
  await core.reprocessJob(store, keys, { jobId: first.jobId, state: 'completed' });
  await core.moveStalledJobsToWait(store, keys, { maxStalledCount: 1, stalledInterval: 1 }, NOW);
  await core.removeJob(store, keys, { jobId: 'later' });
  const { jobId: unwanted } = await core.addStandardJob(store, keys, job);
  const cancelled = await core.cancelJob(store, keys, { jobId: unwanted }, NOW);
  expect(cancelled).toEqual({ kind: 'failed', location: 'wait' });
  const session = { session: 's', about: '{}', state: '{}', heardMsAgo: 0 };
  expect(await core.noteWorkers(store, keys, [session], { ttlMs: 1_000 })).toBe(1);
  await workInspection(store, keys, parent.jobId);

  expect(await core.getState(store, keys, parent.jobId)).toBe('waiting-children');
  expect(await core.getCounts(store, keys)).toMatchObject({ waitingChildren: 1, delayed: 1 });
  const range = { state: 'delayed', first: 0, last: -1 } as const;
  expect(await core.getRanges(store, keys, range)).toHaveLength(1);
  expect(await core.getJob(store, keys, first.jobId)).toMatchObject({ data: Buffer.from('2') });
}

/** Looks at what is sound, and mends nothing of it. */
async function workInspection(store: core.Store, keys: core.QueueKeys, id: string): Promise<void> {
  const part = { name: 'waiting-children', first: 0, count: 9 } as const;
  expect(await core.inspectLocation(store, keys, part)).toEqual({ looked: 1, suspects: [] });
  const found = await core.inspectKeys(store, keys, [id]);
  expect(found).toEqual({ unplaced: [], locked: [], deduplication: [] });
  expect(await core.inspectJob(store, keys, id)).toMatchObject({ kind: 'job', locked: false });
  expect(await core.repairJob(store, keys, { id, fault: 'orphan' })).toBe('');
  expect(await core.repairQueue(store, keys, { fault: 'parked' })).toBe('');
}

/** Trees, ties and deduplication ids. */
async function workRelations(store: core.Store, keys: core.QueueKeys): Promise<void> {
  const body = { queue: keys, name: 'j', data: '1', opts: '{}' };
  const json = (id: string) => JSON.stringify({ id, queueKey: keys.base.slice(0, -1) });
  const under = { parentIndex: 0, parent: { json: json('top') }, hasChildren: false };
  await core.addFlow(
    store,
    [
      { ...body, id: 'top', hasChildren: true },
      ...['x', 'y', 'z'].map((id) => ({ ...body, ...under, id })),
    ],
    { now: NOW },
  );
  expect(await core.getDependencyCounts(store, keys, 'top')).toMatchObject({ pending: 3 });
  const tie = { jobId: 'x', parentKey: keys.job('top') };
  expect(await core.removeChildDependency(store, keys, tie)).toBe(true);
  expect(await core.removeUnprocessedChildren(store, keys, 'top')).toBe(2);
  const once = { ...body, timestamp: NOW, deduplication: { id: 'once' } };
  await core.addStandardJob(store, keys, once);
  expect(await core.addStandardJob(store, keys, once)).toMatchObject({ outcome: 'deduplicated' });
  expect(await core.removeDeduplicationKey(store, keys, 'once')).toBe(true);
}

/** A schedule, its next run and its end; a delay and a priority that change. */
async function workSchedules(store: core.Store, keys: core.QueueKeys): Promise<void> {
  const template = { head: '', repeatHead: '"every":60000', jsonId: 's', data: '1' };
  const schedule = { name: 's', every: 60_000 };
  const run = await core.addJobScheduler(
    store,
    keys,
    { schedulerId: 's', schedule, template },
    NOW,
  );
  const taken = { schedulerId: 's', jobId: run.jobId, template };
  const next = await core.updateJobScheduler(store, keys, taken, NOW);
  if (!next) throw new Error('no next run');
  await core.changeDelay(store, keys, { jobId: next.jobId, until: { delayMs: 5 } }, NOW);
  await core.changePriority(store, keys, { jobId: next.jobId, priority: 4 });
  expect(await core.removeJobScheduler(store, keys, 's')).toBe(true);
}

/** Bulk moves, and the end of the queue. */
async function tidyUp(store: core.Store, keys: core.QueueKeys): Promise<void> {
  const all = { state: 'delayed', limit: 100 } as const;
  expect((await core.moveJobsToWait(store, keys, all)).moved).toBeGreaterThan(0);
  expect(await core.getCountsPerPriority(store, keys, [0, 2])).toHaveLength(2);
  expect(await core.getJobInState(store, keys, 'none')).toBeUndefined();
  const old = { state: 'waiting', olderThan: NOW + 1, limit: 1 } as const;
  expect(await core.cleanJobsInSet(store, keys, old)).toHaveLength(1);
  expect(await core.drain(store, keys, true)).toBeGreaterThan(0);
  await core.pause(store, keys);
  await core.obliterate(store, keys, true);
}
