import { Worker } from '@echomq/sdk/embedded';
import { expect, it } from 'vitest';
import { type Board, useBoard } from './use-board.js';

const board = useBoard();

interface Overview {
  readonly queues: readonly {
    readonly counts: Record<string, number>;
    readonly isPaused: boolean;
    readonly hasWorkers: boolean | null;
    readonly jobs: readonly { readonly id: string; readonly name: string }[];
  }[];
}

/** What the board shows of its one queue. */
async function overview({ call }: Board, more = '') {
  const { status, body } = await call('GET', more);
  expect(status).toBe(200);
  const [queue] = (body as Overview).queues;
  if (!queue) throw new Error('the board shows no queue');
  return queue;
}

/** Runs what waits: jobs called `bad` fail, until the queue has so many finished ones. */
async function work({ queue, connection }: Board, finished: number): Promise<void> {
  const worker = new Worker(
    queue.name,
    async (job) => {
      if (job.name === 'bad') throw new Error('no luck');
      await job.updateProgress(100);
      return { done: job.name };
    },
    { connection },
  );
  await expect
    .poll(async () => {
      const { completed = 0, failed = 0 } = await queue.getJobCounts();
      return completed + failed;
    })
    .toBe(finished);
  await worker.close();
}

it('shows what EchoMQ adds and runs: counts, lists, a job with all that belongs to it', async () => {
  const shown = await board('shown');
  await shown.queue.add('good', { n: 1 }, { jobId: 'first' });
  await shown.queue.add('bad', { n: 2 }, { jobId: 'second' });
  await work(shown, 2);
  await shown.queue.add('later', {}, { delay: 600_000, jobId: 'third' });
  await shown.queue.add('urgent', {}, { priority: 1, jobId: 'fourth' });
  await shown.queue.add('plain', { text: 'ä\u0001"' }, { jobId: 'fifth' });

  const { counts, jobs } = await overview(shown, `?activeQueue=${shown.queue.name}&status=waiting`);
  expect(counts).toMatchObject({
    ...{ waiting: 1, prioritized: 1, delayed: 1 },
    ...{ active: 0, completed: 1, failed: 1 },
  });
  expect(jobs.map(({ id, name }) => [id, name])).toEqual([['fifth', 'plain']]);

  const good = await shown.call('GET', `/${shown.queue.name}/first`);
  expect(good.body).toMatchObject({
    job: { id: 'first', name: 'good', data: { n: 1 }, progress: 100, attempts: 1 },
    status: 'completed',
  });
  expect((good.body as { job: { returnValue: unknown } }).job.returnValue).toEqual({
    done: 'good',
  });
  const bad = await shown.call('GET', `/${shown.queue.name}/second`);
  expect(bad.body).toMatchObject({
    job: {
      failedReason: 'no luck',
      isFailed: true,
      stacktrace: [expect.stringContaining('no luck')],
    },
    status: 'failed',
  });
});

it('operates it: retries, promotes and removes jobs, and EchoMQ goes by it', async () => {
  const operated = await board('operated');
  const { queue, call } = operated;
  await queue.add('bad', {}, { jobId: 'retried' });
  await work(operated, 1);
  await queue.add('later', {}, { jobId: 'promoted', delay: 600_000 });
  await queue.add('plain', {}, { jobId: 'removed' });

  expect((await call('PUT', `/${queue.name}/retried/retry`)).status).toBe(204);
  expect((await call('PUT', `/${queue.name}/promoted/promote`)).status).toBe(204);
  expect((await call('PUT', `/${queue.name}/removed/clean`)).status).toBe(204);

  const state = await operated.read();
  expect(state).toMatchObject({ wait: ['promoted', 'retried'] });
  expect(Object.keys(state)).not.toContain('removed');
  expect([state.delayed, state.failed]).toEqual([undefined, undefined]);
  await work(operated, 2);
  expect(await queue.getJobCounts()).toMatchObject({ completed: 1, failed: 1 });
});

it('pauses and resumes it, and sees the workers of EchoMQ', async () => {
  const paused = await board('paused');
  const { queue, connection, call } = paused;
  expect((await overview(paused)).hasWorkers).toBe(false);
  const ran: string[] = [];
  const worker = new Worker(queue.name, (job) => ran.push(job.id), { connection });
  await worker.waitUntilReady();
  await expect.poll(async () => (await overview(paused)).hasWorkers).toBe(true);

  expect((await call('PUT', `/${queue.name}/pause`)).status).toBe(200);
  await queue.add('plain', {}, { jobId: 'held' });
  expect(await overview(paused)).toMatchObject({ isPaused: true, counts: { waiting: 1 } });
  expect(await queue.isPaused()).toBe(true);
  expect(ran).toEqual([]);

  expect((await call('PUT', `/${queue.name}/resume`)).status).toBe(200);
  await expect.poll(() => ran).toEqual(['held']);
  expect((await overview(paused)).isPaused).toBe(false);
  await worker.close();
});
