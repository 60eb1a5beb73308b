import { expect, it } from 'vitest';
import { InvalidRequest, JobNotFound, JobNotInState } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('a job', (place) => {
  it('knows where it is', async () => {
    const queue = place.queue();
    const worker = place.worker(queue, async (job) => {
      if (job.name === 'bad') throw new Error('no');
      return [await job.isActive(), await job.isWaiting()];
    });
    await worker.pause();
    const job = await queue.add('x', {}, { delay: 60_000 });
    const where = async () =>
      Promise.all([
        ...[job.isDelayed(), job.isWaiting(), job.isActive(), job.isCompleted(), job.isFailed()],
        job.isWaitingChildren(),
      ]);
    expect(await where()).toEqual([true, false, false, false, false, false]);
    await job.promote();
    expect(await where()).toEqual([false, true, false, false, false, false]);
    worker.resume();
    expect(await job.waitUntilFinished(undefined, 10_000)).toEqual([true, false]);
    expect(await where()).toEqual([false, false, false, true, false, false]);
    const bad = await queue.add('bad', {});
    await bad.waitUntilFinished(undefined, 10_000).catch(() => {});
    expect([await bad.isFailed(), await bad.isCompleted()]).toEqual([true, false]);
    await job.remove();
    expect(await where()).toEqual([false, false, false, false, false, false]);
  });

  it('changes its priority, and its place with it', async () => {
    const queue = place.queue();
    const [a, b, c] = await queue.addBulk(
      ['a', 'b', 'c'].map((name) => ({ name, data: {}, opts: { priority: 5 } })),
    );
    await c?.changePriority({ priority: 1 });
    await a?.changePriority({ priority: 5 });
    await b?.changePriority({ priority: 5, lifo: true });
    expect(c?.priority).toBe(1);
    const names = async () => (await queue.getPrioritized()).map(({ name }) => name);
    expect(await names()).toEqual(['c', 'b', 'a']);
    await a?.changePriority({});
    expect(await names()).toEqual(['c', 'b']);
    expect((await queue.getWaiting()).map(({ name }) => name)).toEqual(['a']);
    await expect(a?.changePriority({ priority: -1 })).rejects.toMatchObject({ field: 'priority' });
    await a?.remove();
    await expect(a?.changePriority({ priority: 1 })).rejects.toBeInstanceOf(JobNotFound);
  });

  it('changes its delay while it waits for its time', async () => {
    const queue = place.queue();
    const job = await queue.add('x', {}, { delay: 60_000 });
    await job.changeDelay(3_600_000);
    expect((await queue.getJob(job.id))?.delay).toBe(3_600_000);
    await expect(job.changeDelay(-1)).rejects.toBeInstanceOf(InvalidRequest);
    await job.changeDelay(50);
    const worker = place.worker(queue, () => 'ran');
    expect((await next(worker, 'completed'))[1]).toBe('ran');
    await expect(job.changeDelay(50)).rejects.toBeInstanceOf(JobNotInState);
  });

  it('is removed with its children, or leaves them', async () => {
    const queue = place.queue();
    const { FlowProducer } = await import('../src/index.js');
    const flows = new FlowProducer(queue);
    const tree = {
      name: 'parent',
      queueName: queue.name,
      children: [{ name: 'child', queueName: queue.name }],
    };
    const first = await flows.add(tree);
    expect(await first.job.remove()).toBe(true);
    expect(await queue.count()).toBe(1);
    const second = await flows.add(tree);
    expect(await second.job.remove({ removeChildren: true })).toBe(true);
    expect(await queue.count()).toBe(1);
  });

  it('is shown to people without what it stands on', async () => {
    const queue = place.queue();
    const { id } = await queue.add('x', { n: 1 }, { attempts: 2, deduplication: { id: 'd' } });
    const text = JSON.stringify(await queue.getJob(id));
    expect(JSON.parse(text)).toMatchObject({
      id,
      name: 'x',
      queueName: queue.name,
      data: { n: 1 },
      opts: { attempts: 2 },
      state: 'waiting',
      attemptsMade: 0,
      deduplicationId: 'd',
      stacktrace: [],
    });
    expect(text).not.toContain('connection');
  });
});
