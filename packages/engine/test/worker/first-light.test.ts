import { describe, expect, test } from 'vitest';
import { complete, fetchOf, finishOf, useEngine, waiting } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork } from '../work-link.js';

const used = useEngine();

describe('first light', () => {
  test('a job is fetched and finished', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const { worker } = used.engine.services;

    const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
    expect(jobs.map(({ lease }) => lease?.jobId)).toEqual(['1']);
    const done = await worker.finishJob(finishOf(jobs[0], complete('42')), patient);

    expect(done.result).toEqual({
      disposition: 1,
      attemptsMade: 1,
      retryIn: undefined,
      replayed: false,
    });
    const state = await queue.read();
    expect(state).toMatchObject({ '1': { returnvalue: '42', atm: '1' } });
    expect(state.active).toBeUndefined();
  });

  test('a stream brings jobs and takes reports', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const worker = openWork(used.engine, openOf(queue, {}, 1));

    const [first] = await worker.waitFor('delivery');
    expect(worker.came.items[0]?.$case).toBe('opened');
    worker.send({
      $case: 'report',
      value: {
        reportId: 1,
        ackedThrough: 0,
        lease: first?.jobs[0]?.lease,
        outcome: { kind: complete('1') },
        progress: Buffer.alloc(0),
        logs: [],
      },
    });
    await worker.waitFor('delivery', 2);
    expect(worker.came.items.map(({ $case }) => $case)).toEqual([
      'opened',
      'delivery',
      'reportAck',
      'delivery',
    ]);
    worker.send({ $case: 'drain', value: { reason: '', releaseUnstarted: false } });
    worker.halfClose();
    await worker.over;
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['2'] });
  });

  test('a waiting poll gets a job that is added later', async () => {
    const queue = used.queue();
    const { worker, producer } = used.engine.services;
    const fetching = worker.fetchJobs(fetchOf(queue, { wait: { seconds: 10, nanos: 0 } }), patient);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const from = performance.now();
    await producer.addJob(
      {
        queue: queue.name,
        name: 'n',
        data: Buffer.from('{}'),
        options: undefined,
        parent: undefined,
        requestId: '',
      },
      patient,
    );
    const { jobs } = await fetching;
    console.log('pick-up', performance.now() - from);
    expect(jobs).toHaveLength(1);
  });
});
