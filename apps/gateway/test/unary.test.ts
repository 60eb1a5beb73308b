import type { CallContext } from '@echomq/engine';
import {
  AddJobRequest,
  AddJobResponse,
  FetchJobsRequest,
  FetchJobsResponse,
} from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { signal, tcpProxy } from '@echomq/testkit';
import { Metadata, makeGenericClientConstructor, status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { clientOf, portOf, serving } from './serving.js';

const add = AddJobRequest.fromPartial({ queue: 'q', name: 'n', data: Buffer.from('{"a":1}') });

/** A client that sends bytes as they are, under the name of a real method. */
const RawClient = makeGenericClientConstructor(
  {
    addJob: {
      path: '/echomq.v1.ProducerService/AddJob',
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    },
  },
  'Raw',
);

describe('a call', () => {
  it('brings the message and takes the answer', async () => {
    const seen: AddJobRequest[] = [];
    const engine = new FakeEngine({
      producer: {
        addJob: async (request) => {
          seen.push(request);
          return AddJobResponse.fromPartial({ jobId: '1' });
        },
      },
    });
    const producer = (await serving(engine)).client(ProducerServiceClient);
    const answer = await unary<AddJobResponse>((done) => producer.addJob(add, done));
    expect(answer).toEqual(AddJobResponse.fromPartial({ jobId: '1' }));
    expect(seen).toEqual([add]);
  });

  it('of a method that throws before it promises anything', async () => {
    const engine = new FakeEngine({
      producer: {
        addJob: () => {
          throw new Error('at once');
        },
      },
    });
    const producer = (await serving(engine)).client(ProducerServiceClient);
    const error = await failureOf(unary((done) => producer.addJob(add, done)));
    expect(takenApart(error)).toMatchObject({
      status: 'INTERNAL',
      info: { reason: 'SCRIPT_ERROR' },
    });
  });

  it('T116 bad message kills stream silently: whose answer cannot be encoded ends with INTERNAL, and the server lives on', async () => {
    let poisoned = true;
    const engine = new FakeEngine({
      producer: {
        addJob: async () =>
          poisoned
            ? ({ jobId: Symbol('none') } as unknown as AddJobResponse)
            : AddJobResponse.fromPartial({ jobId: '2' }),
      },
    });
    const { client, log } = await serving(engine);
    const producer = client(ProducerServiceClient);
    const error = await failureOf(unary((done) => producer.addJob(add, done)));
    expect(takenApart(error)).toMatchObject({
      status: 'INTERNAL',
      info: { reason: 'SCRIPT_ERROR' },
    });
    expect(log.lines).toHaveLength(1);
    poisoned = false;
    const answer = await unary<AddJobResponse>((done) => producer.addJob(add, done));
    expect(answer.jobId).toBe('2');
  });
});

describe('a request that cannot be read', () => {
  const [two53, malformed] = ['must lie within ±(2^53 − 1)', 'is malformed'];
  const varint53 = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];

  it.each([
    [
      '2^53 seconds of delay',
      [0x22, 0x0b, 0x12, 0x09, 0x08, ...varint53],
      'options.delay.seconds',
      two53,
    ],
    ['random bytes', [0xff, 0xff, 0xff, 0xff, 0xff], 'request', malformed],
    ['a name that is cut off', [0x0a, 0x01, 0x71, 0x12, 0x05, 0x61], 'name', malformed],
    ['a nested message that is cut off', [0x22, 0x7f, 0x12], 'options', 'is cut off'],
    ['a queue that is not UTF-8', [0x0a, 0x02, 0x61, 0xff], 'queue', 'is not UTF-8 text'],
    [
      'an id with half of a surrogate pair',
      [0x22, 0x06, 0x0a, 0x04, 0x61, 0xed, 0xa0, 0x80],
      'options.job_id',
      'is not UTF-8 text',
    ],
  ])('%s', async (_what, bytes, field, problem) => {
    const { client, log } = await serving(new FakeEngine());
    const raw = client(RawClient);
    const error = await failureOf(
      unary((done) => raw.addJob?.(Buffer.from(bytes), new Metadata(), {}, done)),
    );
    expect(takenApart(error)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      info: { reason: 'INVALID_FIELD', metadata: { field } },
      violations: [[field, problem]],
    });
    expect(log.lines).toEqual([]);
  });

  it('of more than 4 MiB is refused by the transport', async () => {
    const producer = (await serving(new FakeEngine())).client(ProducerServiceClient);
    const huge = { ...add, data: Buffer.alloc(4_194_305) };
    const error = await failureOf(unary((done) => producer.addJob(huge, done)));
    expect(status[error.code]).toBe('RESOURCE_EXHAUSTED');
  });
});

describe('a caller', () => {
  const fetch = FetchJobsRequest.fromPartial({ queue: 'q' });

  /** An engine whose fetch waits until its call is given up. */
  function waiting() {
    const began = signal<CallContext>('the call');
    const aborted = signal('the abort');
    const engine = new FakeEngine({
      worker: {
        fetchJobs: (_request, context) =>
          new Promise((_resolve, reject) => {
            began.resolve(context);
            context.signal.addEventListener('abort', () => {
              aborted.resolve();
              reject(context.signal.reason);
            });
          }),
      },
    });
    return { engine, began, aborted };
  }

  it('that cancels aborts the signal, and nothing is logged', async () => {
    const { engine, began, aborted } = waiting();
    const { client, log } = await serving(engine);
    const worker = client(WorkerServiceClient);
    let cancel = () => {};
    const call = unary((done) => {
      const running = worker.fetchJobs(fetch, done);
      cancel = () => running.cancel();
    });
    expect((await began.wait()).deadline).toBeUndefined();
    cancel();
    expect((await failureOf(call)).code).toBe(status.CANCELLED);
    await aborted.wait();
    expect(log.lines).toEqual([]);
  });

  it('that vanishes aborts the signal', async () => {
    const { engine, began, aborted } = waiting();
    const { gateway, log } = await serving(engine);
    const proxy = await tcpProxy(portOf(gateway.address));
    onTestFinished(() => proxy.stop());
    const worker = clientOf(`127.0.0.1:${proxy.port}`, WorkerServiceClient);
    const call = failureOf(unary((done) => worker.fetchJobs(fetch, done)));
    await began.wait();
    proxy.cut();
    await aborted.wait();
    expect((await call).code).toBe(status.UNAVAILABLE);
    expect(log.lines).toEqual([]);
  });

  it('with a deadline: the engine knows it, and its passing aborts', async () => {
    const { engine, began, aborted } = waiting();
    const { client, log } = await serving(engine);
    const worker = client(WorkerServiceClient);
    const deadline = Date.now() + 300;
    const call = unary((done) => worker.fetchJobs(fetch, new Metadata(), { deadline }, done));
    const context = await began.wait();
    expect(Math.abs((context.deadline ?? 0) - deadline)).toBeLessThan(250);
    expect((await failureOf(call)).code).toBe(status.DEADLINE_EXCEEDED);
    await aborted.wait();
    expect(log.lines).toEqual([]);
  });

  it('that got its answer is not gone: the signal stays quiet', async () => {
    let context: CallContext | undefined;
    const engine = new FakeEngine({
      worker: {
        fetchJobs: async (_request, given) => {
          context = given;
          return FetchJobsResponse.fromPartial({});
        },
      },
    });
    const worker = (await serving(engine)).client(WorkerServiceClient);
    await unary((done) => worker.fetchJobs(fetch, done));
    await unary((done) => worker.fetchJobs(fetch, done));
    expect(context?.signal.aborted).toBe(false);
  });
});
