import { collect, eventually } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { FlowProducer, type Queue, WaitingChildrenError } from '../src/index.js';
import { overBoth } from './places.js';

overBoth('a handler with children', (place) => {
  const family = () => {
    const parents = place.queue<{ step?: number }, unknown>();
    const children = place.queue<unknown, unknown>(parents.connection);
    return { parents, children };
  };
  /** Adds a child to a job of another queue. */
  const addChild = (children: Queue, parent: { id: string; queueName: string }, name: string) =>
    children.add(name, {}, { jobId: name, parent: { id: parent.id, queue: parent.queueName } });

  it.each([
    ['returns', () => 'not this'],
    [
      'throws, as in BullMQ',
      () => {
        throw new WaitingChildrenError();
      },
    ],
  ])('adds them as it runs, waits for them and goes on: it %s', async (_how, end) => {
    const { parents, children } = family();
    const runs = collect<number>('runs');
    place.worker(parents, async (job) => {
      runs.push(job.attemptsStarted);
      if (job.data.step === undefined) {
        await addChild(children, job, 'a');
        await addChild(children, job, 'b');
        await job.updateData({ step: 1 });
      }
      if (await job.moveToWaitingChildren()) return end();
      return job.getChildrenValues();
    });
    const job = await parents.add('parent', {});
    await eventually(async () => expect(await job.isWaitingChildren()).toBe(true));
    place.worker(children, ({ name }) => `${name}!`);
    expect(await job.waitUntilFinished(undefined, 15_000)).toEqual({
      [`${children.name}:a`]: 'a!',
      [`${children.name}:b`]: 'b!',
    });
    expect(runs.items).toEqual([1, 2]);
    expect((await parents.getJob(job.id))?.attemptsMade).toBe(1);
  });

  it('goes on at once where there is nothing to wait for', async () => {
    const { parents } = family();
    place.worker(parents, async (job) => [
      await job.moveToWaitingChildren(),
      await job.getChildrenValues(),
      await job.getIgnoredChildrenFailures(),
    ]);
    const job = await parents.add('parent', {});
    expect(await job.waitUntilFinished(undefined, 15_000)).toEqual([false, {}, {}]);
  });

  it('gets the values of more children than a page has', async () => {
    const { parents, children } = family();
    place.worker(parents, async (job) => {
      const values = await job.getChildrenValues<number>();
      return [
        Object.keys(values).length,
        Object.values(values).reduce((sum, value) => sum + value, 0),
      ];
    });
    const { job } = await new FlowProducer(parents).add({
      name: 'parent',
      queueName: parents.name,
      children: Array.from({ length: 1_200 }, () => ({ name: 'x', queueName: children.name })),
    });
    place.worker(children, () => 2, { concurrency: 50 });
    expect(await job.waitUntilFinished(undefined, 18_000)).toEqual([1_200, 2_400]);
    // Whoever holds no lease gets them too.
    const values = await job.getChildrenValues<number>();
    expect(Object.values(values)).toEqual(Array.from({ length: 1_200 }, () => 2));
  }, 40_000);

  it('gets results of children that are gone, and so does whoever looks', async () => {
    const { parents, children } = family();
    place.worker(parents, (job) => job.getChildrenValues());
    const { job } = await new FlowProducer(parents).add({
      name: 'parent',
      queueName: parents.name,
      children: [
        {
          name: 'x',
          queueName: children.name,
          opts: { jobId: 'gone', removeOnComplete: true },
        },
      ],
    });
    place.worker(children, () => ({ n: 1 }));
    const values = { [`${children.name}:gone`]: { n: 1 } };
    expect(await job.waitUntilFinished(undefined, 15_000)).toEqual(values);
    expect(await job.getChildrenValues()).toEqual(values);
    expect(await job.getDependenciesCount()).toMatchObject({ processed: 1 });
  });

  it('may not ask once the job is no longer its own', async () => {
    const { parents } = family();
    let asked: Promise<unknown> | undefined;
    place.worker(parents, async (job, { signal }) => {
      await job.remove({ force: true });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      asked = job.getChildrenValues();
      await asked;
    });
    const job = await parents.add('parent', {});
    await job.waitUntilFinished(undefined, 5_000).catch(() => {});
    await expect(async () => {
      while (asked === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      await asked;
    }).rejects.toMatchObject({ name: 'LeaseLost' });
  });
});
