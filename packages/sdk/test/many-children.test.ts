import { expect, it } from 'vitest';
import { FlowProducer } from '../src/index.js';
import { overBoth } from './places.js';

overBoth('Job.getDependencies', (place) => {
  it('tells of all children of a job, however many there are', async () => {
    const parents = place.queue<unknown, unknown>();
    const children = place.queue<unknown, unknown>(parents.connection);
    const flows = new FlowProducer(parents);
    const { job } = await flows.add({
      name: 'parent',
      queueName: parents.name,
      children: Array.from({ length: 1_100 }, (_, i) => ({
        name: 'child',
        queueName: children.name,
        opts: { jobId: `child-${i}` },
      })),
    });
    const ids = Array.from({ length: 1_100 }, (_, i) => `child-${i}`).sort();
    const { unprocessed, ...others } = await job.getDependencies();
    expect(unprocessed.map(({ id }) => id).sort()).toEqual(ids);
    expect(new Set(unprocessed.map(({ queueName, state }) => `${queueName} ${state}`))).toEqual(
      new Set([`${children.name} waiting`]),
    );
    expect(others).toEqual({ processed: [], failed: [], ignored: [] });
  });
});
