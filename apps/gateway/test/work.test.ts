import { EchoMQError } from '@echomq/core';
import type { CallContext, Work, WorkLink } from '@echomq/engine';
import { WorkRequest, WorkResponse } from '@echomq/proto/messages';
import { WorkerServiceClient, WorkerServiceService } from '@echomq/proto/services';
import { collect, eventually, signal, tcpProxy } from '@echomq/testkit';
import { type ClientDuplexStream, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takenApart } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { clientOf, portOf, serving } from './serving.js';
import { readToItsEnd, silentStream } from './silent-client.js';

type Stream = ClientDuplexStream<WorkRequest, WorkResponse>;

const heartbeat = (seq: number): WorkRequest =>
  WorkRequest.fromPartial({ message: { $case: 'heartbeat', value: { seq } } });
const keepalive = (seq: number, reason = ''): WorkResponse =>
  reason === ''
    ? WorkResponse.fromPartial({ message: { $case: 'keepalive', value: { seq } } })
    : WorkResponse.fromPartial({ message: { $case: 'directive', value: { reason } } });

/** What the engine's end of a stream saw: the sequence numbers, then how it ended. */
interface Session {
  readonly link: WorkLink;
  readonly context: CallContext;
}

/** An engine that hands its end of each stream to the test, and then does what the test says. */
function engineWith(run: Work) {
  const opened = signal<Session>('the stream');
  const engine = new FakeEngine({
    worker: {
      work: async (link, context) => {
        opened.resolve({ link, context });
        await run(link, context);
      },
    },
  });
  return { engine, opened };
}

/** How a stream ended for the client, and what came before. */
function watch(stream: Stream) {
  const received = collect<WorkResponse>('responses');
  const ended = signal<{ code: number; error?: ServiceError }>('the end of the stream');
  let error: ServiceError | undefined;
  stream.on('data', received.push);
  stream.on('error', (given: ServiceError) => {
    error = given;
  });
  stream.on('status', ({ code }: { code: number }) =>
    // The error, where there is one, is emitted in the same turn or the next.
    setImmediate(() => ended.resolve(error ? { code, error } : { code })),
  );
  return { received, ended };
}

describe('a Work stream', () => {
  it('carries messages both ways and ends with OK after the client has closed its side', async () => {
    const seen: (WorkRequest | string)[] = [];
    const { engine } = engineWith(async (link, { signal }) => {
      for await (const request of link.requests) {
        seen.push(request);
        link.send(keepalive(seen.length));
      }
      seen.push(signal.aborted ? 'aborted' : 'ended');
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).work();
    const { received, ended } = watch(stream);
    for (const seq of [1, 2, 3]) stream.write(heartbeat(seq));
    await received.waitFor(3);
    stream.end();
    expect((await ended.wait()).code).toBe(status.OK);
    expect(seen).toEqual([heartbeat(1), heartbeat(2), heartbeat(3), 'ended']);
    expect(received.items).toEqual([keepalive(1), keepalive(2), keepalive(3)]);
  });

  it('can be ended with OK by the engine while the client still sends', async () => {
    const { engine } = engineWith(async (link) => {
      for await (const _request of link.requests) break;
      link.send(keepalive(9));
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).work();
    const { received, ended } = watch(stream);
    stream.write(heartbeat(1));
    stream.write(heartbeat(2));
    expect((await ended.wait()).code).toBe(status.OK);
    expect(received.items).toEqual([keepalive(9)]);
  });

  it('ends with the error that the engine ends it with, after what was sent before', async () => {
    const { engine } = engineWith(async (link) => {
      link.send(keepalive(1));
      throw new EchoMQError('another connection took over', {
        code: 'ABORTED',
        reason: 'SESSION_SUPERSEDED',
      });
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).work();
    const { received, ended } = watch(stream);
    const { error } = await ended.wait();
    expect(error && takenApart(error)).toMatchObject({
      status: 'ABORTED',
      message: 'another connection took over',
      info: { reason: 'SESSION_SUPERSEDED' },
    });
    expect(received.items).toEqual([keepalive(1)]);
  });

  it.each(['cancels', 'vanishes'])(
    'whose client %s: the requests end, the signal is aborted by then',
    async (how) => {
      const seen = signal<string>('the end of the requests');
      const { engine, opened } = engineWith(async (link, { signal }) => {
        for await (const _request of link.requests) link.send(keepalive(1));
        seen.resolve(signal.aborted ? 'aborted' : 'ended');
      });
      const { gateway, log } = await serving(engine);
      const proxy = await tcpProxy(portOf(gateway.address));
      onTestFinished(() => proxy.stop());
      const stream = clientOf(`127.0.0.1:${proxy.port}`, WorkerServiceClient).work();
      const { received, ended } = watch(stream);
      stream.write(heartbeat(1));
      await received.waitFor(1);
      if (how === 'cancels') stream.cancel();
      else proxy.cut();
      expect(await seen.wait()).toBe('aborted');
      await ended.wait();
      const { link } = await opened.wait();
      expect(link.writable).toBe(false);
      expect(link.send(keepalive(2))).toBe(false);
      expect(log.lines).toEqual([]);
    },
  );

  it('that is cancelled while nobody reads aborts the signal too', async () => {
    const aborted = signal('the abort');
    const { engine, opened } = engineWith(async (_link, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted.resolve();
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).work();
    watch(stream);
    stream.write(heartbeat(1));
    await opened.wait();
    stream.cancel();
    await aborted.wait();
  });

  it('with a message that cannot be read ends with the field at fault', async () => {
    const { engine } = engineWith(async (link) => {
      for await (const request of link.requests) link.send(keepalive(request.message ? 1 : 0));
    });
    const client = (await serving(engine)).client(WorkerServiceClient);
    const { path, responseDeserialize } = WorkerServiceService.work;
    const stream = client.makeBidiStreamRequest(
      path,
      (bytes: Buffer) => bytes,
      responseDeserialize,
    );
    const { received, ended } = watch(stream as unknown as Stream);
    stream.write(Buffer.from(WorkRequest.encode(heartbeat(1)).finish()));
    await received.waitFor(1);
    stream.write(Buffer.from([0x0a, 0x20, 0x01]));
    const { error } = await ended.wait();
    expect(error && takenApart(error)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      info: { reason: 'INVALID_FIELD', metadata: { field: 'open' } },
    });
  });

  it('T116 bad message kills stream silently: in which an answer cannot be encoded ends with INTERNAL; others are unharmed', async () => {
    const { engine } = engineWith(async (link, { signal }) => {
      for await (const request of link.requests) {
        const poisoned = request.message?.$case === 'drain';
        const value = { seq: poisoned ? (Symbol('none') as unknown as number) : 7, queues: [] };
        link.send({ message: { $case: 'keepalive', value } });
      }
      signal.throwIfAborted();
    });
    const { client, log } = await serving(engine);
    const worker = client(WorkerServiceClient);
    const [bad, good] = [worker.work(), worker.work()];
    const [badly, well] = [watch(bad), watch(good)];
    good.write(heartbeat(1));
    bad.write(WorkRequest.fromPartial({ message: { $case: 'drain', value: {} } }));
    const { error } = await badly.ended.wait();
    expect(error && takenApart(error)).toMatchObject({
      status: 'INTERNAL',
      info: { reason: 'SCRIPT_ERROR' },
    });
    expect(log.lines).toHaveLength(1);
    good.write(heartbeat(2));
    await well.received.waitFor(2);
    good.end();
    expect((await well.ended.wait()).code).toBe(status.OK);
  });
});

describe('a client that never reads', () => {
  it('is seen as not writable, costs a bounded amount, and is written to again once it reads', async () => {
    const text = 'x'.repeat(65_536);
    let sent = 0;
    const full = signal<number>('the full link');
    const stop = signal('the stop');
    const engine = new FakeEngine({
      worker: {
        work: async (link, context) => {
          // As the engine must: a message only while the link is writable.
          const fill = () => {
            while (link.writable) {
              link.send(keepalive(0, text));
              sent += 1;
            }
            full.resolve(sent);
          };
          link.onWritable(fill);
          fill();
          context.signal.addEventListener('abort', () => stop.resolve());
          await stop.wait(20_000);
        },
      },
    });
    const { gateway } = await serving(engine);
    const stream = silentStream(gateway.address, '/echomq.v1.WorkerService/Work');
    await full.wait();
    // 256 KiB here and 64 KiB in the client's window; no turn of the loop lets more through.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(sent).toBeLessThan(10);
    const before = sent;
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await eventually(() => expect(sent).toBeGreaterThan(before + 20));
    expect(bytes).toBeGreaterThan(20 * text.length);
    stream.close();
    await stop.wait();
  });

  it('is buffered for all the same when the engine sends to it in spite of that', async () => {
    const { engine } = engineWith(async (link) => {
      for (let seq = 1; seq <= 500; seq += 1) link.send(keepalive(seq));
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).work();
    const { received, ended } = watch(stream);
    expect((await ended.wait()).code).toBe(status.OK);
    expect(received.items).toHaveLength(500);
  });

  it('is left with a reason once it has read nothing for a while, and reads it when it reads', async () => {
    const gone = signal('the end for the engine');
    const engine = new FakeEngine({
      worker: {
        work: async (link, context) => {
          while (link.writable) link.send(keepalive(0, 'x'.repeat(65_536)));
          context.signal.addEventListener('abort', () => gone.resolve());
          await gone.wait(20_000);
        },
      },
    });
    const { gateway } = await serving(engine, { ECHOMQ_MAX_UNREAD_MS: '200' });
    const stream = silentStream(gateway.address, '/echomq.v1.WorkerService/Work');
    await gone.wait(20_000);
    expect(takenApart(await readToItsEnd(stream))).toMatchObject({
      status: 'ABORTED',
      info: { reason: 'WORKER_UNRESPONSIVE' },
    });
  });

  it('T111 server buffers without bound: is left once more than any reader lets pile up has piled up', async () => {
    const text = 'x'.repeat(65_536);
    const sent = signal<number>('the last that found room');
    const { engine } = engineWith(async (link) => {
      let roomAt = 0;
      for (let seq = 1; seq <= 400; seq += 1) if (link.send(keepalive(seq, text))) roomAt = seq;
      sent.resolve(roomAt);
      await new Promise(setImmediate);
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).work();
    const { received, ended } = watch(stream);
    const { error } = await ended.wait();
    expect(error && takenApart(error)).toMatchObject({
      status: 'ABORTED',
      info: { reason: 'WORKER_UNRESPONSIVE' },
    });
    expect(received.items.length).toBeLessThan(300);
    expect(await sent.wait()).toBeLessThan(10);
  });
});
