import {
  AddJobRequest,
  type AddJobResponse,
  FetchJobsRequest,
  type FetchJobsResponse,
  GetJobStateRequest,
  type GetJobStateResponse,
  ListQueuesRequest,
  type ListQueuesResponse,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import {
  ProducerServiceClient,
  QueueServiceClient,
  WorkerServiceClient,
} from '@echomq/proto/services';
import { collect, eventually, privateRedis } from '@echomq/testkit';
import type { ServiceError } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../src/gateway.js';
import { accessFile, bearer, entry } from './access-files.js';
import { failureOf, takenApart, unary } from './call.js';
import { HealthClient, healthOf } from './health-client.js';
import { clientOf, keptLog, testConfig } from './serving.js';

/** A gateway with two namespaces beside the default one, on a Redis of its own. */
async function served(entries: readonly object[]) {
  const redis = await privateRedis();
  onTestFinished(() => redis[Symbol.asyncDispose]());
  const file = accessFile(entries);
  const log = keptLog();
  const config = testConfig({
    ECHOMQ_REDIS_URL: redis.url,
    ECHOMQ_ACCESS_FILE: file.path,
    ECHOMQ_NAMESPACES: 'shop=tenant-1,blog=tenant-2',
  });
  const gateway = await startGateway(config, log);
  onTestFinished(() => gateway.close());
  const producer = clientOf(gateway.address, ProducerServiceClient);
  const queues = clientOf(gateway.address, QueueServiceClient);
  const worker = clientOf(gateway.address, WorkerServiceClient);
  return {
    store: redis.connect(),
    gateway,
    log,
    worker,
    queues,
    add: (token: string, queue: string, data: string) =>
      unary<AddJobResponse>((done) =>
        producer.addJob(
          AddJobRequest.fromPartial({ queue, name: 'n', data: Buffer.from(data) }),
          bearer(token),
          done,
        ),
      ),
    fetch: (token: string, queue: string) =>
      unary<FetchJobsResponse>((done) =>
        worker.fetchJobs(
          FetchJobsRequest.fromPartial({ queue, maxJobs: 5, wait: { seconds: 0, nanos: 0 } }),
          bearer(token),
          done,
        ),
      ),
    list: (token: string) =>
      unary<ListQueuesResponse>((done) =>
        queues.listQueues(ListQueuesRequest.fromPartial({}), bearer(token), done),
      ).then((answer) => answer.queues.map(({ queue }) => queue)),
  };
}

const tenants = [
  entry('shopkeeper', 's', { namespace: 'shop' }),
  entry('blogger', 'b', { namespace: 'blog' }),
  entry('anna', 'a'),
];

describe('namespaces', () => {
  it('keep two tenants apart that have a queue of the same name', async () => {
    const { add, fetch, list, queues, store, gateway } = await served(tenants);
    await add('s', 'orders', '"of the shop"');
    await add('b', 'orders', '"of the blog"');
    await add('b', 'posts', '1');
    await add('a', 'orders', '"of nobody"');
    const keys = (await store.keys('*')).map((key) => key.split(':', 2).join(':'));
    expect(new Set(keys)).toEqual(
      new Set(['tenant-1:orders', 'tenant-2:orders', 'tenant-2:posts', 'bull:orders']),
    );
    expect([await list('s'), await list('b'), await list('a')]).toEqual([
      ['orders'],
      ['orders', 'posts'],
      ['orders'],
    ]);
    const { jobs } = await fetch('s', 'orders');
    expect(jobs.map(({ data }) => String(data))).toEqual(['"of the shop"']);
    const state = (token: string) =>
      unary<GetJobStateResponse>((done) =>
        queues.getJobState(
          GetJobStateRequest.fromPartial({ queue: 'orders', jobId: '1' }),
          bearer(token),
          done,
        ),
      );
    expect([(await state('s')).state, (await state('b')).state]).toEqual([4, 1]);
    expect(await healthOf(clientOf(gateway.address, HealthClient))).toBe('SERVING');
  });

  it('cannot be reached by any name of a queue', async () => {
    const { add, store } = await served(tenants);
    await store.flushall();
    for (const queue of ['tenant-2:orders', '../tenant-2', '*', '{tenant-2}:x', 'a\u0000b']) {
      const error = await add('s', queue, '1').then(
        () => undefined,
        (failure: ServiceError) => failure,
      );
      if (error) expect(takenApart(error).info?.reason).toBe('INVALID_FIELD');
    }
    const keys = await store.keys('*');
    expect(keys.filter((key) => !key.startsWith('tenant-1:'))).toEqual([]);
  });

  it('and rights: listings show only what may be read', async () => {
    const acl = [
      { queues: ['mail-*'], verbs: ['read'] },
      { queues: ['*'], verbs: ['produce'] },
    ];
    const { add, list, fetch } = await served([entry('anna', 'a', { acl, namespace: 'shop' })]);
    for (const queue of ['mail-1', 'orders', 'mail-2']) await add('a', queue, '1');
    expect(await list('a')).toEqual(['mail-1', 'mail-2']);
    expect(takenApart(await failureOf(fetch('a', 'mail-1')))).toMatchObject({
      info: { reason: 'QUEUE_ACCESS_DENIED', metadata: { verb: 'work', queue: 'mail-1' } },
    });
  });

  it('a session belongs to its principal: nobody else ends it by its ids', async () => {
    const { worker, gateway } = await served(tenants.concat(entry('ben', 'b2')));
    const open = (token: string, epoch: number) => {
      const stream = worker.work(bearer(token));
      const kinds = collect<string>('messages');
      const errors = collect<ServiceError>('errors');
      stream.on('data', ({ message }: WorkResponse) => kinds.push(message?.$case ?? ''));
      stream.on('error', errors.push);
      const value = {
        worker: { workerId: 'w', sessionId: 'same' },
        subscriptions: [{ queue: 'orders', maxInFlight: 1 }],
        epoch,
      };
      stream.write(WorkRequest.fromPartial({ message: { $case: 'open', value } }));
      return { stream, kinds, errors };
    };
    const anna = open('a', 0);
    await anna.kinds.waitFor(1);
    const ben = open('b2', 5);
    await ben.kinds.waitFor(1);
    const again = open('a', 1);
    await again.kinds.waitFor(1);
    const [ended] = await anna.errors.waitFor(1);
    expect(takenApart(ended as ServiceError).info?.reason).toBe('SESSION_SUPERSEDED');
    expect(ben.errors.items).toEqual([]);
    for (const { stream } of [ben, again]) stream.cancel();
    await eventually(() => expect(ben.errors.items).toHaveLength(1));
    await gateway.close();
  });
});
