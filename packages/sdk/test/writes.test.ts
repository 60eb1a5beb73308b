import { collect, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { FlowProducer, InvalidRequest, JobNotFound, QueueEvents } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('a job in nobody’s hands', (place) => {
  it('takes new data, progress and log lines, in every state', async () => {
    const queue = place.queue<{ n: number }, number>();
    const job = await queue.add('x', { n: 1 }, { delay: 60_000 });
    await job.updateData({ n: 2 });
    await job.updateProgress({ half: true });
    await job.log('a');
    expect(await queue.addJobLog(job.id, 'b')).toBe(2);
    expect([job.data, job.progress]).toEqual([{ n: 2 }, { half: true }]);
    await job.promote();
    const completed = next(
      place.worker(queue, ({ data }) => data.n),
      'completed',
    );
    expect((await completed)[1]).toBe(2);
    await queue.updateJobProgress(job.id, 100);
    expect(await queue.addJobLog(job.id, 'c', 2)).toBe(2);
    const stored = await queue.getJob(job.id);
    expect([stored?.data, stored?.progress, stored?.state]).toEqual([{ n: 2 }, 100, 'completed']);
    expect((await queue.getJobLogs(job.id)).logs).toEqual(['b', 'c']);
    await job.clearLogs(1);
    expect((await queue.getJobLogs(job.id)).logs).toEqual(['c']);
    await job.clearLogs();
    expect((await queue.getJobLogs(job.id)).count).toBe(0);
  });

  it('tells listeners of its progress', async () => {
    const queue = place.queue();
    const events = new QueueEvents(queue.name, { connection: queue.connection });
    const told = collect<unknown>('progress');
    events.on('progress', ({ data }) => told.push(data));
    await events.waitUntilReady();
    const job = await queue.add('x', {});
    await job.updateProgress({ at: 'half' });
    await told.waitFor(1);
    expect(told.items).toEqual([{ at: 'half' }]);
  });

  it('T129 update re-creates removed job: is never made anew by a late write', async () => {
    const queue = place.queue();
    const job = await queue.add('x', {});
    await job.remove();
    const before = await place.redis.freshQueue({ name: queue.name }).read();
    for (const write of [
      () => job.updateData({}),
      () => job.updateProgress(1),
      () => job.log('late'),
      () => job.clearLogs(),
      () => queue.updateJobProgress(job.id, 1),
      () => queue.addJobLog(job.id, 'late'),
      () => job.removeChildDependency(),
      () => job.removeUnprocessedChildren(),
    ]) {
      await expect(write()).rejects.toBeInstanceOf(JobNotFound);
    }
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual(before);
    await expect(job.updateData(10n as never)).rejects.toBeInstanceOf(InvalidRequest);
    await expect(queue.addJobLog(job.id, 'x', -1)).rejects.toMatchObject({ field: 'keepLogs' });
  });

  it('frees the deduplication id that it holds, and no other’s', async () => {
    const queue = place.queue();
    const unique = { deduplication: { id: 'd' } };
    const first = await queue.add('x', {}, unique);
    expect(await queue.getDeduplicationJobId('d')).toBe(first.id);
    expect(await first.removeDeduplicationKey()).toBe(true);
    expect(await queue.getDeduplicationJobId('d')).toBeUndefined();
    const second = await queue.add('x', {}, unique);
    expect(await first.removeDeduplicationKey()).toBe(false);
    expect(await queue.getDeduplicationJobId('d')).toBe(second.id);
    expect(await (await queue.add('y', {})).removeDeduplicationKey()).toBe(false);
  });
});

overBoth('a parent', (place) => {
  const family = async (childOpts: object = {}) => {
    const queue = place.queue();
    const children = place.queue(queue.connection);
    const node = await new FlowProducer(queue).add({
      name: 'parent',
      queueName: queue.name,
      children: ['a', 'b'].map((jobId) => ({
        name: jobId,
        queueName: children.name,
        opts: { jobId, ...childOpts },
      })),
    });
    return { queue, children, parent: node.job };
  };

  it('goes on when its children are removed', async () => {
    const { children, parent } = await family();
    expect(await parent.getState()).toBe('waiting-children');
    expect(await parent.removeUnprocessedChildren()).toBe(2);
    expect(await parent.getState()).toBe('waiting');
    expect(await children.count()).toBe(0);
    expect(await parent.removeUnprocessedChildren()).toBe(0);
  });

  it('goes on when the ties are cut, and the children stay', async () => {
    const { children, parent } = await family();
    const [a, b] = await Promise.all(['a', 'b'].map((id) => children.getJob(id)));
    expect(a?.parent).toEqual({ id: parent.id, queue: parent.queueName });
    expect(await a?.removeChildDependency()).toBe(true);
    expect(await parent.getState()).toBe('waiting-children');
    expect(await b?.removeChildDependency()).toBe(true);
    expect(await parent.getState()).toBe('waiting');
    expect(await b?.removeChildDependency()).toBe(false);
    expect((await children.getJob('a'))?.parent).toBeUndefined();
    expect(await children.count()).toBe(2);
  });

  it('tells from outside why its children failed', async () => {
    const ignored = await family({ ignoreDependencyOnFailure: true });
    const failing = await family({ failParentOnFailure: true });
    for (const { children, parent, queue } of [ignored, failing]) {
      place.worker(children, () => Promise.reject(new Error('no luck')));
      place.worker(queue, () => 'done');
      await parent.waitUntilFinished(undefined, 15_000).catch(() => {});
    }
    const reasons = (name: string) => ({ [`${name}:a`]: 'no luck', [`${name}:b`]: 'no luck' });
    const { name } = ignored.children;
    expect(await ignored.parent.getIgnoredChildrenFailures()).toEqual(reasons(name));
    expect(await ignored.parent.getFailedChildrenReasons()).toEqual({});
    const failed = await failing.parent.getFailedChildrenReasons();
    expect(failed[`${failing.children.name}:a`] ?? failed[`${failing.children.name}:b`]).toBe(
      'no luck',
    );
  });
});

overBoth('a held queue', (place) => {
  it('begins no job until its time is up or it is let go', async () => {
    const queue = place.queue();
    await queue.rateLimit(60_000);
    expect(await queue.getRateLimitTtl()).toBeGreaterThan(30_000);
    const ran = collect<string>('runs');
    place.worker(queue, (job) => ran.push(job.id));
    await queue.add('x', {});
    await queue.removeRateLimitKey();
    await ran.waitFor(1);
    expect(await queue.getRateLimitTtl()).toBe(0);
    expect(await queue.getRateLimitTtl(1)).toBe(0);
    await expect(queue.rateLimit(-1)).rejects.toMatchObject({ field: 'expireTimeMs' });
    await expect(queue.rateLimit(0)).rejects.toMatchObject({ field: 'duration' });
  });

  it('is maxed while as many jobs run as may', async () => {
    const queue = place.queue();
    expect(await queue.isMaxed()).toBe(false);
    await queue.setGlobalConcurrency(1);
    const go = signal('the handler may end');
    const worker = place.worker(queue, () => go.wait(15_000));
    const active = next(worker, 'active');
    const job = await queue.add('x', {});
    await active;
    expect(await queue.isMaxed()).toBe(true);
    go.resolve();
    await job.waitUntilFinished(undefined, 10_000);
    expect(await queue.isMaxed()).toBe(false);
  });

  it('lists jobs of several states by position, as BullMQ does', async () => {
    const queue = place.queue<number>();
    const later = { delay: 60_000 };
    for (let n = 0; n < 4; n += 1) await queue.add('x', n);
    for (let n = 4; n < 8; n += 1) await queue.add('x', n, later);
    const data = async (
      ...[states, start, end, asc]: [never[] | string[], number, number?, boolean?]
    ) => (await queue.getJobs(states as never, start, end, asc)).map((job) => job.data);
    expect(await data(['waiting', 'delayed'], 0, 1, true)).toEqual([0, 1, 4, 5]);
    expect(await data(['waiting', 'delayed'], 0, 1)).toEqual([3, 2, 7, 6]);
    expect(await data([], 0)).toEqual([3, 2, 1, 0, 7, 6, 5, 4]);
    expect(await data(['failed'], 0)).toEqual([]);
    await expect(data(['waiting'], -1)).rejects.toMatchObject({ field: 'start' });
  });
});
