import { collect, useRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embedded } from '../src/embedded/index.js';
import { Queue, UnrecoverableError, Worker, type WorkerOptions } from '../src/index.js';
import { next, overBoth } from './places.js';

const OPTS = { attempts: 4, backoff: { type: 'tides' } } as const;

overBoth("a worker's backoff strategy", (place) => {
  it('says how long a job waits whose backoff nobody else knows', async () => {
    const queue = place.queue();
    const asked: unknown[][] = [];
    const began: number[] = [];
    const worker = place.worker(
      queue,
      (job) => {
        began.push(performance.now());
        if (job.attemptsMade < 2) throw new TypeError(`failure ${job.attemptsMade}`);
        return 'at last';
      },
      {
        backoffStrategy: async (attemptsMade, type, error, job) => {
          asked.push([attemptsMade, type, error.message, job.id]);
          return attemptsMade === 1 ? 300 : 0;
        },
      },
    );
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', {}, OPTS);
    await completed;
    expect(asked).toEqual([
      [1, 'tides', 'failure 0', id],
      [2, 'tides', 'failure 1', id],
    ]);
    expect((began[1] ?? 0) - (began[0] ?? 0)).toBeGreaterThanOrEqual(290);
    expect(await queue.getJob(id)).toMatchObject({ state: 'completed', attemptsMade: 3 });
  });

  it('may end the job, and is not asked where the server knows or nothing is left', async () => {
    const queue = place.queue();
    const asked = collect<string>('questions');
    const worker = place.worker(
      queue,
      (job) => {
        throw job.name === 'never' ? new UnrecoverableError('no') : new Error('no');
      },
      {
        backoffStrategy: (_made, type) => {
          asked.push(type);
          return -1;
        },
      },
    );
    const failures = collect<[string, boolean]>('failures');
    worker.on('failed', (job, _error, { final }) => failures.push([job.name, final]));
    await queue.add('asked', {}, OPTS);
    await queue.add('once', {}, { backoff: { type: 'tides' } });
    await queue.add('never', {}, OPTS);
    await queue.add('plain', {}, { attempts: 2, backoff: { type: 'fixed', delay: 1 } });
    await failures.waitFor(5);
    expect(
      failures.items
        .filter(([, final]) => final)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['asked', 'never', 'once', 'plain']);
    expect(asked.items).toEqual(['tides']);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no idea'))],
    ['answers nonsense', () => Number.NaN],
  ] as [string, NonNullable<WorkerOptions['backoffStrategy']>][])(
    'that %s is told as an error, and the server decides',
    async (_, backoffStrategy) => {
      const queue = place.queue();
      const worker = place.worker(
        queue,
        () => {
          throw new Error('boom');
        },
        { backoffStrategy },
      );
      const errors = collect<Error>('errors');
      worker.on('error', errors.push);
      const failed = next(worker, 'failed');
      const { id } = await queue.add('x', {}, OPTS);
      const [, , { final }] = await failed;
      expect(final).toBe(true);
      await errors.waitFor(1);
      expect((await queue.getJob(id))?.failedReason).toBe('boom (unknown backoff tides)');
    },
  );
});

describe('named backoffs of an engine in this process', () => {
  const redis = useRedis();

  it('are what jobs ask for by name', async () => {
    const connection = embedded({ redis: redis.url, backoffs: { tides: [250, 0] } });
    onTestFinished(() => connection.close());
    const queue = new Queue('tides', { connection });
    const began: number[] = [];
    const worker = new Worker(
      'tides',
      (job) => {
        began.push(performance.now());
        if (job.attemptsMade < 2) throw new Error('again');
      },
      { connection },
    );
    const completed = next(worker, 'completed');
    await queue.add('x', {}, OPTS);
    await completed;
    expect((began[1] ?? 0) - (began[0] ?? 0)).toBeGreaterThanOrEqual(240);
  });
});
