import {
  AddJobRequest,
  type AddJobResponse,
  ExtendLocksRequest,
  type ExtendLocksResponse,
  FetchJobsRequest,
  type FetchJobsResponse,
  FinishJobRequest,
  type FinishJobResponse,
  type JobOutcome,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { signal, type UsedRedis } from '@echomq/testkit';
import { credentials, Metadata } from '@grpc/grpc-js';
import { startGateway } from '../src/gateway.js';
import type { Gateway } from '../src/serve.js';
import { failureOf, unary } from './call.js';
import { keptLog, type LogLine, testConfig } from './serving.js';

type Lease = FetchJobsResponse['jobs'][number]['lease'];
type Kind = NonNullable<JobOutcome['kind']>;

/** A gateway that is measured, and raw calls to it. */
export interface Observed {
  readonly gateway: Gateway;
  readonly lines: readonly LogLine[];
  /** Ends it with its clients. */
  close(): Promise<void>;
  /** What is at a path of the metrics' address. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  add(queue: string, options?: object, metadata?: Metadata): Promise<AddJobResponse>;
  fetch(queue: string): Promise<Lease>;
  finish(lease: Lease, kind: Kind): Promise<FinishJobResponse>;
  extend(...leases: Lease[]): Promise<ExtendLocksResponse>;
  /** Opens a stream that takes one job and keeps it. Returns the way to cancel it. */
  hold(queue: string, worker: string): Promise<() => void>;
}

/** Options of a job that is not ready for a minute. */
export const LATER = { due: { $case: 'delay', value: { seconds: 60, nanos: 0 } } };

/** The ends of a run. */
export const ends = {
  complete: { $case: 'complete', value: { returnValue: Buffer.from('1') } },
  fail: {
    $case: 'fail',
    value: {
      errorName: '',
      message: 'boom',
      stack: [],
      retry: 0,
      retryDelay: undefined,
      details: Buffer.alloc(0),
    },
  },
  release: { $case: 'release', value: { toFront: true } },
} satisfies Record<string, Kind>;

/** Starts a gateway with metrics, closed by the caller. */
export async function observed(
  redis: Pick<UsedRedis, 'url'>,
  env: Readonly<Record<string, string>> = {},
): Promise<Observed> {
  const log = keptLog();
  const config = testConfig({
    ECHOMQ_REDIS_URL: redis.url,
    ECHOMQ_METRICS_LISTEN: '127.0.0.1:0',
    ECHOMQ_STALLED_INTERVAL_MS: '100',
    ECHOMQ_DRAIN_TIMEOUT_MS: '0',
    ...env,
  });
  const gateway = await startGateway(config, log);
  const plain = credentials.createInsecure();
  const producer = new ProducerServiceClient(gateway.address, plain);
  const worker = new WorkerServiceClient(gateway.address, plain);
  return {
    gateway,
    lines: log.lines,
    close: async () => {
      producer.close();
      worker.close();
      await gateway.close();
    },
    get: (path, headers = {}) => fetch(`http://${gateway.metricsAddress}${path}`, { headers }),
    add: (queue, options = {}, metadata = new Metadata()) => {
      const request = AddJobRequest.fromPartial({ queue, name: 'n', options });
      return unary((done) => producer.addJob(request, metadata, done));
    },
    fetch: async (queue) => {
      const lockDuration = { seconds: 1, nanos: 0 };
      const request = FetchJobsRequest.fromPartial({ queue, maxJobs: 1, lockDuration });
      const { jobs } = await unary<FetchJobsResponse>((done) => worker.fetchJobs(request, done));
      return jobs[0]?.lease;
    },
    finish: (lease, kind) => {
      const request = { ...FinishJobRequest.create(), lease, outcome: { kind } };
      return unary((done) => worker.finishJob(request, done));
    },
    extend: (...leases) => {
      const request = ExtendLocksRequest.fromPartial({
        leases: leases.flatMap((one) => one ?? []),
      });
      return unary((done) => worker.extendLocks(request, done));
    },
    hold: async (queue, name) => {
      const stream = worker.work();
      const delivered = signal('a delivery');
      stream.on('error', () => undefined);
      stream.on('data', ({ message }: WorkResponse) => {
        if (message?.$case === 'delivery') delivered.resolve();
      });
      const info = { workerId: name, name, sessionId: name };
      const subscriptions = [{ queue, maxInFlight: 1 }];
      const value = { worker: info, subscriptions, epoch: 0 };
      stream.write(WorkRequest.fromPartial({ message: { $case: 'open', value } }));
      await delivered.wait();
      return () => stream.cancel();
    },
  };
}

/** A little of everything that is counted, in the queue `orders`. `refused`: the reasons that were told. */
export async function workload(at: Observed, redis: UsedRedis): Promise<() => void> {
  const retried = { attempts: 2 };
  for (const options of [{}, retried, {}, {}]) await at.add('orders', options);
  const one = await at.fetch('orders');
  await at.extend(one, one && { ...one, leaseToken: 'another' });
  await at.finish(one, ends.complete);
  await failureOf(at.finish(one, ends.complete));
  const two = await at.fetch('orders');
  await at.finish(two, ends.fail);
  await at.finish(await at.fetch('orders'), ends.fail);
  await at.finish(await at.fetch('orders'), ends.release);
  const silent = await at.fetch('orders');
  await redis.client.del(`bull:orders:${silent?.jobId}:lock`);
  const cancel = await at.hold('orders', 'worker-1');
  await at.add('orders', LATER);
  await at.add('orders', {});
  return cancel;
}
