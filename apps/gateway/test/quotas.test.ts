import { join } from 'node:path';
import { FetchJobsRequest, FetchJobsResponse, WorkRequest } from '@echomq/proto/messages';
import { GatewayServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { collect, eventually, signal } from '@echomq/testkit';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { accessFile, bearer, entry, replaceFile, testFolder } from './access-files.js';
import { failureOf, takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { jwtEnv, makeKey, token } from './issuer.js';
import { serving } from './serving.js';

/** A gateway with the principals anna and ben, whose fetches and streams last until they are let go. */
async function served(env: Readonly<Record<string, string>>) {
  const letGo = signal('leave to answer');
  const engine = new FakeEngine({
    worker: {
      fetchJobs: async () => {
        await letGo.wait();
        return FetchJobsResponse.fromPartial({});
      },
      work: async (link) => {
        for await (const _ of link.requests);
      },
    },
    gateway: { getServerInfo: async () => ({}) as never },
  });
  const file = accessFile([entry('anna', 'a'), entry('ben', 'b')]);
  const gateway = await serving(engine, { ECHOMQ_ACCESS_FILE: file.path, ...env });
  return { letGo, engine, ...gateway };
}

describe('streams', () => {
  it('are bounded per principal and in all; those that end make room', async () => {
    const { client, engine } = await served({
      ECHOMQ_MAX_STREAMS: '3',
      ECHOMQ_MAX_STREAMS_PER_PRINCIPAL: '2',
    });
    const worker = client(WorkerServiceClient);
    const open = async (token: string) => {
      const before = engine.reached.length;
      const stream = worker.work(bearer(token));
      const errors = collect<ServiceError>('errors');
      stream.on('error', errors.push);
      stream.resume();
      stream.write(WorkRequest.fromPartial({}));
      await eventually(() =>
        expect(engine.reached.length + errors.items.length).toBeGreaterThan(before),
      );
      return { stream, error: errors.items[0] };
    };
    const first = await open('a');
    await open('a');
    const third = await open('a');
    expect(takenApart(third.error as ServiceError)).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      info: { reason: 'QUOTA_EXCEEDED', metadata: { quota: 'streams', limit: '2' } },
      retryMs: 1_000,
      pushbackMs: '1000',
    });
    expect((await open('b')).error).toBeUndefined();
    const fourth = await open('b');
    expect(takenApart(fourth.error as ServiceError)).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      info: { reason: 'TOO_MANY_STREAMS', metadata: { limit: '3' } },
      retryMs: 1_000,
    });
    const over = new Promise((resolve) => first.stream.on('status', resolve));
    first.stream.end();
    await over;
    await eventually(async () => expect((await open('b')).error).toBeUndefined());
  });
});

describe('a stream that is cancelled', () => {
  it('T112 stream objects leak: at whatever moment is counted out', async () => {
    const key = await makeKey('one');
    const path = join(testFolder(), 'keys.json');
    replaceFile(path, JSON.stringify({ keys: [key.jwk] }));
    const { client, engine } = await served({ ...jwtEnv(path), ECHOMQ_MAX_STREAMS: '150' });
    const worker = client(WorkerServiceClient);
    const begin = async (at: number) => {
      // Each second token is new: its check takes a while.
      const shown = at % 2 === 0 ? 'a' : await token(key, { sub: `s-${at}` });
      const stream = worker.work(bearer(shown));
      stream.on('error', () => undefined);
      stream.resume();
      stream.write(WorkRequest.fromPartial({}));
      const over = new Promise((resolve) => stream.on('status', resolve));
      return { stream, over };
    };
    for (let round = 0; round < 3; round += 1) {
      const streams = await Promise.all(Array.from({ length: 100 }, (_, at) => begin(at)));
      for (const [at, { stream }] of streams.entries()) setTimeout(() => stream.cancel(), at % 20);
      await Promise.all(streams.map(({ over }) => over));
    }
    engine.reached.length = 0;
    await eventually(async () => {
      const streams = await Promise.all(Array.from({ length: 150 }, () => begin(0)));
      try {
        await eventually(() => expect(engine.reached).toHaveLength(150), 1_000);
      } finally {
        engine.reached.length = 0;
        for (const { stream } of streams) stream.cancel();
        await Promise.all(streams.map(({ over }) => over));
      }
    });
  });
});

describe('calls that wait', () => {
  it('are bounded per principal and in all; those that do not wait are not', async () => {
    const { client, letGo, engine } = await served({
      ECHOMQ_MAX_WAITERS: '3',
      ECHOMQ_MAX_WAITERS_PER_PRINCIPAL: '2',
    });
    const worker = client(WorkerServiceClient);
    const fetch = (token: string, seconds?: number) =>
      unary<FetchJobsResponse>((done) =>
        worker.fetchJobs(
          FetchJobsRequest.fromPartial({
            queue: 'q',
            ...(seconds === undefined ? {} : { wait: { seconds, nanos: 0 } }),
          }),
          bearer(token),
          done,
        ),
      );
    const waiting = [fetch('a'), fetch('a', 5)];
    await eventually(() => expect(engine.reached).toHaveLength(2));
    expect(takenApart(await failureOf(fetch('a', 5)))).toMatchObject({
      info: { reason: 'QUOTA_EXCEEDED', metadata: { quota: 'waiters', limit: '2' } },
      retryMs: 1_000,
    });
    waiting.push(fetch('a', 0), fetch('b', 5));
    await eventually(() => expect(engine.reached).toHaveLength(4));
    expect(takenApart(await failureOf(fetch('b')))).toMatchObject({
      info: { reason: 'TOO_MANY_WAITERS', metadata: { limit: '3' } },
      retryMs: 1_000,
    });
    letGo.resolve();
    await Promise.all(waiting);
    await fetch('a');
  });
});

describe('metadata', () => {
  const padded = (bytes: number) => {
    const metadata = bearer('a');
    metadata.set('x-padding', 'x'.repeat(bytes));
    return metadata;
  };

  it('over the limit is refused by name; the connection serves on', async () => {
    const { client, engine } = await served({ ECHOMQ_MAX_METADATA_BYTES: '4096' });
    const info = client(GatewayServiceClient);
    const call = (metadata: Metadata) => unary((done) => info.getServerInfo({}, metadata, done));
    expect(takenApart(await failureOf(call(padded(4_100))))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      info: { reason: 'INVALID_FIELD', metadata: { field: 'metadata', limitBytes: '4096' } },
      violations: [['metadata', 'has more than 4096 bytes']],
    });
    expect(engine.reached).toEqual([]);
    await call(padded(3_000));
  });

  it('of 100 kB is refused by the transport; the connection serves on', async () => {
    const { client, engine } = await served({});
    const info = client(GatewayServiceClient);
    const call = (metadata: Metadata) => unary((done) => info.getServerInfo({}, metadata, done));
    await call(bearer('a'));
    const error = await failureOf(call(padded(100_000)));
    expect(error.code).toBe(status.INTERNAL);
    expect(error.details).toContain('RST_STREAM');
    expect(engine.reached).toEqual(['getServerInfo']);
    await call(bearer('a'));
  });

  it('that is not asked for is no trouble', async () => {
    const { client } = await served({});
    const metadata = bearer('a');
    metadata.set('x-bytes-bin', Buffer.from([0, 255]));
    metadata.merge(new Metadata());
    const info = client(GatewayServiceClient);
    await unary((done) => info.getServerInfo({}, metadata, done));
  });
});
