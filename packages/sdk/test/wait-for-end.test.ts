import { EchoMQError as EngineError } from '@echomq/core';
import type { Services } from '@echomq/engine';
import * as pb from '@echomq/proto/messages';
import { signal } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connection } from '../src/connection.js';
import { ServicesTransport } from '../src/embedded/services-transport.js';
import { InvalidRequest, JobFailed, JobNotFound, Queue, WaitTimedOut } from '../src/index.js';
import { overBoth } from './places.js';

overBoth('the end of a job', (place) => {
  it('is its result, whether it is waited for before or after', async () => {
    const queue = place.queue<number, { double: number }>();
    const go = signal('the handler may end');
    place.worker(queue, async (job) => {
      await go.wait();
      return { double: job.data * 2 };
    });
    const job = await queue.add('x', 21);
    const early = job.waitUntilFinished();
    go.resolve();
    expect(await early).toEqual({ double: 42 });
    expect(await job.waitUntilFinished(undefined, 1_000)).toEqual({ double: 42 });
    expect(await queue.waitForJob(job.id, { ttl: 0 })).toEqual({ double: 42 });
  });

  it('is an error that says why it failed, after the last attempt', async () => {
    const queue = place.queue();
    place.worker(queue, () => {
      throw new Error('no such address');
    });
    const job = await queue.add('x', {}, { attempts: 2 });
    const error = await job.waitUntilFinished().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(JobFailed);
    expect(error).toMatchObject({
      message: 'no such address',
      failedReason: 'no such address',
      reason: 'JOB_FAILED',
      retryable: false,
      metadata: { queue: queue.name, jobId: job.id },
    });
    expect((await queue.getJob(job.id))?.attemptsMade).toBe(2);
  });

  it('reaches who waits also where the job is removed as it ends', async () => {
    const queue = place.queue<unknown, string>();
    const go = signal('the handler may end');
    place.worker(queue, async () => {
      await go.wait();
      return 'kept nowhere';
    });
    const job = await queue.add('x', {}, { removeOnComplete: true });
    const end = job.waitUntilFinished();
    await queue.waitForJob(job.id, { ttl: 100 }).catch(() => {});
    go.resolve();
    expect(await end).toBe('kept nowhere');
    await expect(job.waitUntilFinished()).rejects.toBeInstanceOf(JobNotFound);
  });

  it('is waited for no longer than was said, and the job goes on', async () => {
    const queue = place.queue();
    const job = await queue.add('x', {});
    const began = performance.now();
    const error = await job.waitUntilFinished(undefined, 300).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimedOut);
    expect(error).toMatchObject({ code: 'DEADLINE_EXCEEDED', reason: 'WAIT_TIMED_OUT' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(295);
    expect(await job.isWaiting()).toBe(true);
    await expect(queue.waitForJob(job.id, { ttl: 0 })).rejects.toBeInstanceOf(WaitTimedOut);
  });

  it('is not waited for where there is no job, or it is removed, or nobody wants it', async () => {
    const queue = place.queue();
    await expect(queue.waitForJob('nothing')).rejects.toBeInstanceOf(JobNotFound);
    const job = await queue.add('x', {});
    const end = job.waitUntilFinished().catch((thrown: unknown) => thrown);
    await queue.waitForJob(job.id, { ttl: 100 }).catch(() => {});
    await job.remove();
    expect(await end).toBeInstanceOf(JobNotFound);
    const other = await queue.add('x', {});
    const unwanted = queue.waitForJob(other.id, { signal: AbortSignal.timeout(100) });
    await expect(unwanted).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(queue.waitForJob(other.id, { ttl: -1 })).rejects.toMatchObject({ field: 'ttl' });
    await expect(queue.waitForJob('')).rejects.toBeInstanceOf(InvalidRequest);
  });
});

describe('a wait', () => {
  const state = pb.JobState.ACTIVE;
  const unfinished = { ...pb.WaitJobResponse.create(), state };
  const finished: pb.WaitJobResponse = {
    ...unfinished,
    state: pb.JobState.COMPLETED,
    finished: true,
    returnValue: Buffer.from('"done"'),
  };

  function queueWith(...answers: readonly (pb.WaitJobResponse | EngineError)[]) {
    const requests: pb.WaitJobRequest[] = [];
    const waitJob = async (request: pb.WaitJobRequest) => {
      requests.push(request);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === undefined || answer instanceof EngineError) throw answer;
      return answer;
    };
    const services = { producer: { waitJob } } as unknown as Services;
    const connection = new Connection(new ServicesTransport(services, { freeze: true }));
    onTestFinished(() => connection.close());
    return { queue: new Queue('q', { connection }), requests };
  }

  it('goes on over servers that leave, and over outages', async () => {
    const draining = new EngineError('leaves', {
      ...({ code: 'UNAVAILABLE', reason: 'GATEWAY_DRAINING', retryable: true } as const),
    });
    const { queue, requests } = queueWith(unfinished, draining, unfinished, finished);
    expect(await queue.waitForJob('1')).toBe('done');
    expect(requests).toHaveLength(4);
    const asked = requests.map(({ wait, includeResult }) => [pb.durationToMs(wait), includeResult]);
    expect(asked).toEqual(Array(4).fill([30_000, true]));
  });

  it('is over in time in an outage too, and tells of it', async () => {
    const { queue } = queueWith(
      new EngineError('away', {
        ...({ code: 'UNAVAILABLE', reason: 'BACKEND_UNAVAILABLE', retryable: true } as const),
      }),
    );
    const error = await queue.waitForJob('1', { ttl: 200 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimedOut);
    expect((error as WaitTimedOut).cause).toMatchObject({ reason: 'BACKEND_UNAVAILABLE' });
  });

  it('ends at once on what does not pass', async () => {
    const denied = { code: 'PERMISSION_DENIED', reason: 'QUEUE_ACCESS_DENIED' } as const;
    const { queue, requests } = queueWith(new EngineError('no', denied));
    await expect(queue.waitForJob('1')).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(requests).toHaveLength(1);
  });
});
