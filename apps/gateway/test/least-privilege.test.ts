import { readFileSync } from 'node:fs';
import {
  AddJobRequest,
  type AddJobResponse,
  CancelJobRequest,
  FetchJobsRequest,
  type FetchJobsResponse,
  FinishJobRequest,
  type GetServerInfoResponse,
  JobSignalKind,
  ListQueuesRequest,
  type ListQueuesResponse,
  ListWorkersRequest,
  type ListWorkersResponse,
  ObliterateQueueRequest,
  SubscribeRequest,
  UpsertSchedulerRequest,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import {
  EventServiceClient,
  GatewayServiceClient,
  ProducerServiceClient,
  QueueServiceClient,
  SchedulerServiceClient,
  WorkerServiceClient,
} from '@echomq/proto/services';
import { collect, eventually, privateRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../src/gateway.js';
import { unary } from './call.js';
import { clientOf, keptLog, testConfig } from './serving.js';

/** The rules as docs/operations.md gives them. */
function documentedRules(): string[] {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const rules = /```\nACL SETUSER echomq on >PASSWORD ([^`]+)```/.exec(page)?.[1];
  if (!rules) throw new Error('docs/operations.md has no rules');
  return rules.trim().split(/\s+/);
}

async function served(rules: readonly string[]) {
  const redis = await privateRedis({ users: { echomq: { password: 'pw', rules } } });
  onTestFinished(() => redis.stop());
  const log = keptLog();
  const url = redis.url.replace('redis://', 'redis://echomq:pw@');
  const gateway = await startGateway(testConfig({ ECHOMQ_REDIS_URL: url }), log);
  onTestFinished(() => gateway.close());
  return { gateway, log, store: redis.connect() };
}

describe('T128 least privilege: a user of Redis with the documented rights alone', () => {
  it('is enough for jobs, streams, events, schedules and the care of queues', async () => {
    const { gateway, log, store } = await served(documentedRules());
    const at = gateway.address;
    const events = clientOf(at, EventServiceClient).subscribe(
      SubscribeRequest.fromPartial({ queue: 'q' }),
    );
    const seen = collect<object>('events');
    events.on('data', seen.push);
    events.on('error', () => undefined);
    await seen.waitFor(1);
    const worker = clientOf(at, WorkerServiceClient);
    const waiting = unary<FetchJobsResponse>((done) =>
      worker.fetchJobs(FetchJobsRequest.fromPartial({ queue: 'q', maxJobs: 1 }), done),
    );
    const producer = clientOf(at, ProducerServiceClient);
    const add = (options: Parameters<typeof AddJobRequest.fromPartial>[0]['options']) =>
      unary<AddJobResponse>((done) =>
        producer.addJob(
          AddJobRequest.fromPartial({ queue: 'q', name: 'n', ...(options ? { options } : {}) }),
          done,
        ),
      );
    await add(undefined);
    const { jobs } = await waiting;
    const outcome = { kind: { $case: 'complete', value: {} } } as const;
    await unary((done) =>
      worker.finishJob(
        FinishJobRequest.fromPartial({ lease: jobs[0]?.lease, outcome } as never),
        done,
      ),
    );
    await add({ due: { $case: 'delay', value: { seconds: 0, nanos: 50_000_000 } } });
    await add({ priority: 3 });
    const stream = worker.work();
    const delivered = collect<string>('jobs');
    const signals = collect<JobSignalKind>('signals');
    stream.on('data', ({ message }: WorkResponse) => {
      if (message?.$case === 'jobSignal') signals.push(message.value.kind);
      if (message?.$case !== 'delivery') return;
      for (const { lease } of message.value.jobs) delivered.push(lease?.jobId ?? '');
    });
    stream.on('error', () => undefined);
    const value = {
      worker: { workerId: 'w', sessionId: 's' },
      subscriptions: [{ queue: 'q', maxInFlight: 5 }],
    };
    stream.write(WorkRequest.fromPartial({ message: { $case: 'open', value } }));
    const [first] = await delivered.waitFor(2);
    const queues = clientOf(at, QueueServiceClient);
    const cancel = CancelJobRequest.fromPartial({ queue: 'q', jobId: first ?? '' });
    await unary((done) => queues.cancelJob(cancel, done));
    expect(await signals.waitFor(1)).toEqual([JobSignalKind.CANCEL_REQUESTED]);
    await eventually(async () => {
      const workers = ListWorkersRequest.fromPartial({});
      const { sessions } = await unary<ListWorkersResponse>((done) =>
        queues.listWorkers(workers, done),
      );
      expect(sessions.map(({ worker: info }) => info?.sessionId)).toEqual(['s']);
      // The list of queues with workers may be 5 s old.
    }, 15_000);
    stream.cancel();
    await unary((done) =>
      clientOf(at, SchedulerServiceClient).upsertScheduler(
        UpsertSchedulerRequest.fromPartial({
          queue: 'later',
          schedulerId: 's',
          schedule: { repeat: { $case: 'every', value: { seconds: 60, nanos: 0 } } },
          template: { name: 'n' },
        } as never),
        done,
      ),
    );
    await unary((done) => queues.pauseQueue({ queue: 'later' }, done));
    const { queues: listed } = await unary<ListQueuesResponse>((done) =>
      queues.listQueues(ListQueuesRequest.fromPartial({}), done),
    );
    expect(listed.map(({ queue }) => queue)).toEqual(['later', 'q']);
    await unary((done) =>
      queues.obliterateQueue(
        ObliterateQueueRequest.fromPartial({ queue: 'later', confirmQueue: 'later', force: true }),
        done,
      ),
    );
    events.cancel();
    const info = await unary<GetServerInfoResponse>((done) =>
      clientOf(at, GatewayServiceClient).getServerInfo({}, done),
    );
    expect(info.serverInfo?.redis?.version).toMatch(/^\d/);
    expect(await store.call('ACL', 'LOG')).toEqual([]);
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('without INFO loses the version of Redis and nothing else', async () => {
    const { gateway } = await served([...documentedRules(), '-info']);
    const producer = clientOf(gateway.address, ProducerServiceClient);
    await eventually(() =>
      unary((done) => producer.addJob(AddJobRequest.fromPartial({ queue: 'q', name: 'n' }), done)),
    );
    const info = await unary<GetServerInfoResponse>((done) =>
      clientOf(gateway.address, GatewayServiceClient).getServerInfo({}, done),
    );
    expect(info.serverInfo?.redis).toMatchObject({ name: 'redis', version: '' });
  });
});
