import { jobHash } from '@echomq/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JobPlan, newJob, worlds } from '../../test/batch-model.js';
import { META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { addJob } from '../add-job.js';
import { EchoMQError } from '../errors.js';
import type { NewJob } from '../new-job.js';
import { addBatch } from './addBatch.js';

const used = useStore();
const job = (more: Partial<NewJob> = {}): NewJob => {
  return { name: 'j', data: '1', opts: '{}', timestamp: NOW, ...more };
};
const batch = (queue: TestQueue, jobs: readonly NewJob[]) =>
  addBatch(used.store, queue.keys, jobs, NOW);

describe('addBatch', () => {
  it('adds jobs of every kind, each with its own answer', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META });

    const added = await batch(queue, [job(), job({ priority: 2 }), job({ customId: 'own' })]);

    expect(added).toEqual([
      { jobId: '1', outcome: 'created', state: 'waiting' },
      { jobId: '2', outcome: 'created', state: 'prioritized' },
      { jobId: 'own', outcome: 'created', state: 'waiting' },
    ]);
    const stored = { name: 'j', data: '1', timestamp: NOW, opts: {} };
    expect(await queue.read()).toEqual({
      meta: META,
      id: '3',
      pc: '1',
      wait: ['own', '1'],
      prioritized: [['2', 2 * 2 ** 32 + 1]],
      marker: [['0', 0]],
      1: jobHash(stored),
      2: jobHash({ ...stored, priority: 2 }),
      own: jobHash(stored),
      events: [
        { event: 'added', jobId: '1', name: 'j' },
        { event: 'waiting', jobId: '1' },
        { event: 'added', jobId: '2', name: 'j' },
        { event: 'waiting', jobId: '2' },
        { event: 'added', jobId: 'own', name: 'j' },
        { event: 'waiting', jobId: 'own' },
      ],
    });
  });

  it('harms no job by one that is refused, or whose keys are of another kind', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { ...META }, prioritized: 'no set' });
    const orphan = job({ parent: { key: queue.keys.job('none'), json: '{}' } });

    const added = await batch(queue, [job(), orphan, job({ priority: 1 }), job()]);

    expect(added).toMatchObject([
      { jobId: '1' },
      { reason: 'PARENT_JOB_NOT_FOUND' },
      { reason: 'SCRIPT_ERROR' },
      { outcome: 'created' },
    ]);
    expect((await queue.read()).wait).toHaveLength(2);
  });

  it('rejects REQUEST_ID_REUSED, answers what comes again', async () => {
    const queue = used.queue();
    const noted = (digest: string) =>
      job({ receipt: { key: queue.keys.requestReceipts('r'), digest, ttl: 60_000 } });

    const added = await batch(queue, [noted('a'), noted('a'), noted('b')]);

    expect(added).toMatchObject([
      { jobId: '1', outcome: 'created' },
      { jobId: '1', replayed: true },
      { reason: 'REQUEST_ID_REUSED' },
    ]);
  });

  it('rejects PARENT_JOB_CANNOT_BE_REPLACED, QUEUE_FULL, PAYLOAD_TOO_LARGE as a single add does', async () => {
    const limits = { ...META, 'echomq.maxJobs': '3', 'echomq.maxPayload': '5' };
    const jobs = (queue: TestQueue) => [
      job({ customId: 'p' }),
      job({ customId: 'q' }),
      job({ customId: 'c', parent: { key: queue.keys.job('p'), json: '{"id":"p"}' } }),
      job({ customId: 'c', parent: { key: queue.keys.job('q'), json: '{"id":"q"}' } }),
      job({ data: '"longer"' }),
      job(),
    ];
    await expectEqual('limits', (queue) => queue.seed({ meta: limits }), jobs);
  });

  it('leaves what its adds one by one leave, and answers as they do', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(worlds, async ({ meta, jobs }) => {
        run++;
        const begin = async (queue: TestQueue) => {
          if (Object.keys(meta).length > 0) await queue.seed({ meta });
          await addJob(used.store, queue.keys, job({ customId: 'parent' }));
        };
        await expectEqual(`${run}`, begin, (queue) =>
          jobs.map((plan: JobPlan) => newJob(plan, queue.keys, 'parent')),
        );
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

/** Adds the same on two queues, alone and in a batch, and compares answers and states. */
async function expectEqual(
  name: string,
  begin: (queue: TestQueue) => Promise<void>,
  jobs: (queue: TestQueue) => readonly NewJob[],
): Promise<void> {
  const [one, all] = [used.queue(`one-${name}`), used.queue(`all-${name}`)];
  await begin(one);
  await begin(all);
  const single: unknown[] = [];
  for (const each of jobs(one)) {
    const added = await addJob(used.store, one.keys, each).catch((error: unknown) => error);
    single.push(added instanceof EchoMQError ? added.reason : added);
  }
  const batched = (await batch(all, jobs(all))).map((added) =>
    added instanceof EchoMQError ? added.reason : added,
  );
  expect(batched).toEqual(single);
  const nameless = async (queue: TestQueue) =>
    JSON.parse(JSON.stringify(await queue.read()).replaceAll(queue.name, 'Q'));
  expect(await nameless(all)).toEqual(await nameless(one));
}
