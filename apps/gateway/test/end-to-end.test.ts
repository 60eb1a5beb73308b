import {
  AddJobRequest,
  type AddJobResponse,
  Disposition,
  FetchJobsRequest,
  type FetchJobsResponse,
  FinishJobRequest,
  type FinishJobResponse,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { collect, eventually, privateRedis, signal, useRedis } from '@echomq/testkit';
import { status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../src/gateway.js';
import { failureOf, takenApart, unary } from './call.js';
import { HealthClient, healthOf } from './health-client.js';
import { clientOf, keptLog, testConfig } from './serving.js';

const redis = useRedis();

async function gatewayOn(url: string) {
  const log = keptLog();
  const gateway = await startGateway(testConfig({ ECHOMQ_REDIS_URL: url }), log);
  onTestFinished(() => gateway.close());
  const producer = clientOf(gateway.address, ProducerServiceClient);
  const worker = clientOf(gateway.address, WorkerServiceClient);
  const health = clientOf(gateway.address, HealthClient);
  return {
    log,
    health,
    worker,
    add: (queue: string, data: string) =>
      unary<AddJobResponse>((done) =>
        producer.addJob(
          AddJobRequest.fromPartial({ queue, name: 'count', data: Buffer.from(data) }),
          done,
        ),
      ),
    fetch: (queue: string) =>
      unary<FetchJobsResponse>((done) =>
        worker.fetchJobs(
          FetchJobsRequest.fromPartial({ queue, maxJobs: 1, wait: { seconds: 2, nanos: 0 } }),
          done,
        ),
      ),
    finish: (lease: FetchJobsResponse['jobs'][number]['lease'], value: string) =>
      unary<FinishJobResponse>((done) =>
        worker.finishJob(
          FinishJobRequest.fromPartial({
            ...(lease ? { lease } : {}),
            outcome: {
              kind: { $case: 'complete', value: { returnValue: Buffer.from(value) } },
            },
          }),
          done,
        ),
      ),
  };
}

describe('a job over gRPC', () => {
  it('is added, fetched and finished; a second finish is refused', async () => {
    const queue = redis.freshQueue();
    const gateway = await gatewayOn(redis.url);
    const { jobId } = await gateway.add(queue.name, '{"a":1}');
    const { jobs } = await gateway.fetch(queue.name);
    const lease = jobs[0]?.lease;
    expect(jobs).toHaveLength(1);
    expect(lease).toMatchObject({ queue: queue.name, jobId });
    expect(jobs[0]?.data.toString()).toBe('{"a":1}');
    const { result } = await gateway.finish(lease, '42');
    expect(result?.disposition).toBe(Disposition.COMPLETED);
    expect(await redis.client.zrange(queue.key('completed'), '0', '-1')).toEqual([jobId]);
    expect(await redis.client.hget(queue.key(jobId), 'returnvalue')).toBe('42');
    expect(await redis.client.llen(queue.key('active'))).toBe(0);
    expect(takenApart(await failureOf(gateway.finish(lease, '43')))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      info: { reason: 'LOCK_LOST', metadata: { job_id: jobId } },
    });
    expect(gateway.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('with bad input names the field and changes nothing', async () => {
    const queue = redis.freshQueue();
    const gateway = await gatewayOn(redis.url);
    expect(takenApart(await failureOf(gateway.add('a:b', '1')))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      info: { reason: 'INVALID_FIELD', metadata: { field: 'queue' } },
    });
    expect(takenApart(await failureOf(gateway.add(queue.name, '{no json')))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      info: { reason: 'PAYLOAD_NOT_JSON', metadata: { field: 'data' } },
    });
    expect(await queue.read()).toEqual({});
  });

  it('is delivered, reported and acknowledged on a Work stream that drains', async () => {
    const queue = redis.freshQueue();
    const gateway = await gatewayOn(redis.url);
    const { jobId } = await gateway.add(queue.name, '7');
    const stream = gateway.worker.work();
    const answers = collect<WorkResponse>('answers');
    const ended = signal<number>('the end of the stream');
    stream.on('data', answers.push);
    stream.on('status', ({ code }: { code: number }) => ended.resolve(code));
    const send = (message: NonNullable<WorkRequest['message']>) =>
      stream.write(WorkRequest.fromPartial({ message }));
    const next = async (kind: string) =>
      await eventually(() => {
        const found = answers.items.find(({ message }) => message?.$case === kind);
        if (!found?.message) throw new Error(`no ${kind} yet`);
        return found.message;
      });
    stream.write(
      WorkRequest.fromPartial({
        message: {
          $case: 'open',
          value: {
            worker: { workerId: 'w', sessionId: 'session-1' },
            subscriptions: [{ queue: queue.name, maxInFlight: 1 }],
            load: { running: 0, capacity: 1 },
          },
        },
      }),
    );
    await next('opened');
    const delivery = await next('delivery');
    const job = delivery.$case === 'delivery' ? delivery.value.jobs[0] : undefined;
    expect(job?.lease?.jobId).toBe(jobId);
    send({
      $case: 'report',
      value: {
        reportId: 1,
        ackedThrough: 0,
        lease: job?.lease,
        outcome: { kind: { $case: 'complete', value: { returnValue: Buffer.from('"ok"') } } },
        progress: Buffer.alloc(0),
        logs: [],
      },
    });
    const ack = await next('reportAck');
    expect(ack).toMatchObject({
      value: {
        reportId: 1,
        outcome: {
          $case: 'result',
          value: { disposition: Disposition.COMPLETED },
        },
      },
    });
    expect(await redis.client.zrange(queue.key('completed'), '0', '-1')).toEqual([jobId]);
    send({ $case: 'drain', value: { reason: 'done', releaseUnstarted: true } });
    stream.end();
    expect(await ended.wait()).toBe(status.OK);
  });
});

describe('a gateway without Redis', () => {
  it('listens, says so, and works without a restart when Redis comes, goes and comes again', async () => {
    await using server = await privateRedis();
    await server.crash();
    const gateway = await gatewayOn(server.url);
    expect(await healthOf(gateway.health)).toBe('NOT_SERVING');
    expect(await healthOf(gateway.health, 'liveness')).toBe('SERVING');
    expect(takenApart(await failureOf(gateway.add('q', '1')))).toMatchObject({
      status: 'UNAVAILABLE',
      info: { reason: 'BACKEND_UNAVAILABLE' },
      pushbackMs: '500',
    });
    for (let round = 0; round < 2; round += 1) {
      await server.restart();
      await eventually(async () => expect(await healthOf(gateway.health)).toBe('SERVING'), 8_000);
      await gateway.add('q', '1');
      const { jobs } = await gateway.fetch('q');
      await gateway.finish(jobs[0]?.lease, 'null');
      await server.crash();
      await eventually(
        async () => expect(await healthOf(gateway.health)).toBe('NOT_SERVING'),
        8_000,
      );
    }
  });
});
