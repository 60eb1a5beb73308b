import { expect } from 'vitest';
import * as core from '../../src/index.js';
import { NOW } from '../use-store.js';

/**
 * Calls every binding of the first light once on a queue, with what it takes to succeed.
 *
 * @returns the names of the scripts that ran
 */
export async function callEveryBinding(
  store: core.Store,
  keys: core.QueueKeys,
): Promise<ReadonlySet<string>> {
  const ran = new Set<string>();
  const { redis } = store;
  const watched = new core.Store({
    send: (command, args) => redis.send(command, args),
    nodeOf: (key) => redis.nodeOf(key),
  } as core.RedisClient);
  const noting = Object.create(watched, {
    run: {
      value: (script: { name: string }, ...rest: [never, never]) => {
        ran.add(script.name);
        return watched.run(script as never, ...rest);
      },
    },
  }) as core.Store;
  await runAll(noting, keys);
  return ran;
}

async function runAll(store: core.Store, keys: core.QueueKeys): Promise<void> {
  const job = { name: 'j', data: '1', opts: '{"attempts":9}', timestamp: NOW };
  const worker = (token: string) => ({ token, lockDuration: 60_000 });
  const take = async (token: string) => {
    const fetched = await core.moveToActive(store, keys, worker(token), NOW);
    if (fetched.kind !== 'job') throw new Error(`no job for ${token}: ${fetched.kind}`);
    return { jobId: fetched.job.id, token };
  };

  await core.addStandardJob(store, keys, job);
  await core.addPrioritizedJob(store, keys, { ...job, priority: 2 });
  await core.addDelayedJob(store, keys, { ...job, customId: 'later', delay: 1e9 });
  await core.addDelayedJob(store, keys, { ...job, customId: 'due', delay: 1, timestamp: 1 });
  await core.addJobs(store, keys, [job, job, job], NOW);
  expect(await core.promote(store, keys, 'later')).toBe('waiting');
  expect(await core.promoteDueJobs(store, keys, NOW)).toEqual({ moved: 1 });
  await core.pause(store, keys);
  await core.resume(store, keys);

  const first = await take('a');
  await core.updateProgress(store, keys, { ...first, progress: '1' });
  await core.updateData(store, keys, { ...first, data: '2' });
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
  const parent = await take('e');
  const child = { key: keys.job(parent.jobId), json: '{}' };
  await core.addStandardJob(store, keys, { ...job, customId: 'child', parent: child });
  expect(await core.moveToWaitingChildren(store, keys, parent, NOW)).toBe(true);
  await core.reprocessJob(store, keys, { jobId: first.jobId, state: 'completed' });
  await core.moveStalledJobsToWait(store, keys, { maxStalledCount: 1, stalledInterval: 1 }, NOW);
  await core.removeJob(store, keys, { jobId: 'later' });

  expect(await core.getState(store, keys, parent.jobId)).toBe('waiting-children');
  expect(await core.getCounts(store, keys)).toMatchObject({ waitingChildren: 1, delayed: 1 });
  const range = { state: 'delayed', first: 0, last: -1 } as const;
  expect(await core.getRanges(store, keys, range)).toHaveLength(1);
  expect(await core.getJob(store, keys, first.jobId)).toMatchObject({ data: Buffer.from('2') });
}
