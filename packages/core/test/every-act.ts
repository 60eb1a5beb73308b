import type { QueueState } from '@echomq/testkit';
import * as core from '../src/index.js';
import { META, NOW, type TestQueue, type UsedStore } from './use-store.js';

/** Calls one transition. */
export type Act = (queue: TestQueue) => Promise<unknown>;
/** Who fetches. */
export const WORKER = { token: 't2', lockDuration: 30_000, maxMetricsSize: 5 };
/** What is added. */
export const JOB = { name: 'j', data: '1', opts: '{}', timestamp: NOW };

/** A queue in which everything has something to do: an active child whose parent waits, a schedule, retention. */
export function busy(queue: TestQueue, more: QueueState = {}): QueueState {
  const parent = { id: 'p', queueKey: queue.base.slice(0, -1), fpof: true };
  const child = { parent, parentKey: queue.key('p') };
  const opts = { attempts: 1, removeOnComplete: 1, removeOnFail: 1 };
  return {
    meta: { ...META, concurrency: 5, max: 100, duration: 1000 },
    wait: ['2'],
    active: ['3', '1'],
    stalled: ['1'],
    prioritized: { 4: 2 ** 33 },
    delayed: { 5: 4096, 'repeat:s:9': 9e15 },
    'waiting-children': { p: 1 },
    'p:dependencies': [queue.key('1')],
    completed: { 6: 1 },
    failed: { 7: 1 },
    repeat: { s: 9 },
    'repeat:s': { name: 'n', ic: 1, every: 5000 },
    'de:d': '1',
    'dn:d': { name: 'kept', data: '1', opts: '{}', jid: 'k' },
    id: 9,
    pc: 4,
    limiter: 1,
    'metrics:completed': { count: 4, prevTS: NOW - 60_000, prevCount: 3 },
    'metrics:failed': { count: 4, prevTS: NOW - 60_000, prevCount: 3 },
    locks: { 1: 't1' },
    jobs: {
      1: { ...child, opts, deid: 'd', ats: 1 },
      2: { opts },
      3: { opts },
      4: { opts, priority: 2 },
      5: { opts },
      6: { ...child },
      7: { ...child },
      p: {},
      'repeat:s:9': { rjk: 's' },
    },
    ...more,
  };
}

/** A transition, or with what is otherwise in the {@link busy} queue. */
export type Acts = Readonly<Record<string, Act | readonly [QueueState, Act]>>;

/**
 * Every transition that writes to more than one key, in the ways in which it does. drain and obliterate go in steps, one
 * script each.
 */
export function everyAct(used: UsedStore): Acts {
  const lease = { jobId: '1', token: 't1' };
  const finish =
    (target: 'completed' | 'failed', fetchNext: boolean, more: object = {}): Act =>
    (q) =>
      core.moveToFinished(
        used.store,
        q.keys,
        {
          ...{ jobId: '1', target, value: '"v"', fetchNext },
          options: { token: 't1', nextToken: 't2', maxMetricsSize: 5, logs: ['l'], ...more },
        },
        NOW,
      );
  /** A batch of one move, which answers with an error where others throw. */
  const batch = async (q: TestQueue, move: core.Move) => {
    const [moved] = await core.moveBatch(used.store, q.keys, [move], { now: NOW });
    if (moved instanceof Error) throw moved;
  };
  const end = (target: 'completed' | 'failed') => ({
    ...{ jobId: '1', target, value: '"v"', fetchNext: false },
    options: { token: 't1', nextToken: 't2', maxMetricsSize: 5, logs: ['l'] },
  });
  const template = { head: '', repeatHead: '"every":5000', jsonId: 's', data: '1' };
  const under = (q: TestQueue) => ({
    parent: { key: q.key('p'), json: JSON.stringify({ id: 'p', queueKey: q.base.slice(0, -1) }) },
  });
  const dedup = { id: 'd', keepLastIfActive: true };

  const acts: Acts = {
    addStandardJob: (q) => core.addStandardJob(used.store, q.keys, JOB),
    'addStandardJob, a child': (q) =>
      core.addStandardJob(used.store, q.keys, { ...JOB, ...under(q) }),
    'addStandardJob, a child that exists': (q) =>
      core.addStandardJob(used.store, q.keys, { ...JOB, customId: '6', ...under(q) }),
    'addStandardJob, deduplicated': (q) =>
      core.addStandardJob(used.store, q.keys, { ...JOB, deduplication: dedup }),
    'addStandardJob, paused': [
      { meta: { ...META, paused: 1 } },
      (q) => core.addStandardJob(used.store, q.keys, JOB),
    ],
    addDelayedJob: (q) => core.addDelayedJob(used.store, q.keys, { ...JOB, delay: 5 }),
    'addDelayedJob, rescheduled': [
      { 'de:d': '5' },
      (q) =>
        core.addDelayedJob(used.store, q.keys, {
          ...{ ...JOB, delay: 5 },
          deduplication: { id: 'd', reschedule: true },
        }),
    ],
    addPrioritizedJob: (q) => core.addPrioritizedJob(used.store, q.keys, { ...JOB, priority: 1 }),
    addJobs: (q) =>
      core.addJobs(used.store, q.keys, [
        JOB,
        { ...JOB, delay: 5 },
        { ...JOB, priority: 2, ...under(q) },
      ]),
    addFlow: (q) => {
      const body = { queue: q.keys, name: 'j', data: '1', opts: '{}' };
      return core.addFlow(
        used.store,
        [
          { ...body, id: 'top', hasChildren: true },
          {
            ...body,
            id: '3',
            parentIndex: 0,
            parent: { json: under(q).parent.json },
            hasChildren: false,
          },
          { ...body, id: 'c', parentIndex: 0, parent: { json: '{}' }, hasChildren: false },
        ],
        { now: NOW },
      );
    },
    addJobScheduler: (q) =>
      core.addJobScheduler(
        used.store,
        q.keys,
        { schedulerId: 's', schedule: { name: 's', every: 60_000 }, template },
        NOW,
      ),
    updateJobScheduler: (q) =>
      core.updateJobScheduler(
        used.store,
        q.keys,
        { schedulerId: 's', jobId: 'repeat:s:9', template },
        NOW,
      ),
    removeJobScheduler: (q) => core.removeJobScheduler(used.store, q.keys, 's'),
    moveToActive: (q) => core.moveToActive(used.store, q.keys, WORKER, NOW),
    'moveToActive, by priority': [
      { wait: [], delayed: {} },
      (q) => core.moveToActive(used.store, q.keys, WORKER, NOW),
    ],
    'moveToActive, a deferred failure': [
      { delayed: {}, jobs: { 2: { defa: 'x' } } },
      (q) => core.moveToActive(used.store, q.keys, WORKER, NOW),
    ],
    'moveToFinished, completed': finish('completed', false),
    'moveToFinished, completed, with the next': finish('completed', true),
    'moveToFinished, failed': finish('failed', true),
    'moveToFinished, retried': finish('failed', true, { attempts: 3, retry: { mode: 'DEFAULT' } }),
    'moveToFinished, cancelled': [
      { jobs: { 1: { 'echomq.cancel': `${NOW}`, processedOn: NOW } as Record<string, unknown> } },
      finish('completed', false),
    ],
    'moveBatch, a finish': (q) => batch(q, end('completed')),
    'moveBatch, a finish with the next': (q) => batch(q, { ...end('failed'), fetchNext: true }),
    'moveBatch, a fetch': (q) => batch(q, WORKER),
    moveToDelayed: (q) =>
      core.moveToDelayed(
        used.store,
        q.keys,
        { ...lease, until: { delayMs: 5 }, skipAttempt: false, fetchNext: WORKER },
        NOW,
      ),
    moveToWaitingChildren: [
      { '1:dependencies': ['k'] },
      (q) => core.moveToWaitingChildren(used.store, q.keys, lease, NOW),
    ],
    moveJobFromActiveToWait: (q) => core.moveJobFromActiveToWait(used.store, q.keys, lease),
    retryJob: (q) => core.retryJob(used.store, q.keys, { ...lease, reason: 'x' }, NOW),
    moveStalledJobsToWait: [
      { locks: {} },
      (q) =>
        core.moveStalledJobsToWait(
          used.store,
          q.keys,
          { maxStalledCount: 0, stalledInterval: 30_000 },
          NOW,
        ),
    ],
    cancelJob: (q) => core.cancelJob(used.store, q.keys, { jobId: '1', force: true }, NOW),
    'cancelJob, asked': (q) => core.cancelJob(used.store, q.keys, { jobId: '1' }, NOW),
    extendLock: (q) =>
      core.extendLock(used.store, q.keys, { id: '1', token: 't1', lockDuration: 30_000 }),
    extendLocks: (q) =>
      core.extendLocks(used.store, q.keys, [
        { id: '3', token: 't1', lockDuration: 30_000 },
        { id: '1', token: 't1', lockDuration: 30_000 },
      ]),
    promote: (q) => core.promote(used.store, q.keys, '5'),
    promoteDueJobs: (q) => core.promoteDueJobs(used.store, q.keys, NOW),
    changeDelay: (q) =>
      core.changeDelay(used.store, q.keys, { jobId: '5', until: { delayMs: 5 } }, NOW),
    changePriority: (q) => core.changePriority(used.store, q.keys, { jobId: '2', priority: 7 }),
    reprocessJob: (q) => core.reprocessJob(used.store, q.keys, { jobId: '7', state: 'failed' }),
    moveJobsToWait: (q) => core.moveJobsToWait(used.store, q.keys, { state: 'failed', limit: 9 }),
    pause: (q) => core.pause(used.store, q.keys),
    resume: [
      { meta: { ...META, paused: 1 }, paused: ['8'] },
      (q) => core.resume(used.store, q.keys),
    ],
    removeJob: (q) =>
      core.removeJob(used.store, q.keys, { jobId: 'p', force: true, removeChildren: true }),
    removeUnprocessedChildren: [
      { locks: {} },
      (q) => core.removeUnprocessedChildren(used.store, q.keys, 'p'),
    ],
    removeChildDependency: (q) =>
      core.removeChildDependency(used.store, q.keys, { jobId: '1', parentKey: q.key('p') }),
    cleanJobsInSet: (q) =>
      core.cleanJobsInSet(used.store, q.keys, { state: 'failed', olderThan: NOW, limit: 9 }),
    'cleanJobsInSet, active': [
      { locks: {} },
      (q) => core.cleanJobsInSet(used.store, q.keys, { state: 'active', olderThan: NOW, limit: 9 }),
    ],
    updateProgress: (q) => core.updateProgress(used.store, q.keys, { ...lease, progress: '1' }),
    addLogs: (q) => core.addLogs(used.store, q.keys, { ...lease, rows: ['l'], keep: 1 }),
  };
  return acts;
}
