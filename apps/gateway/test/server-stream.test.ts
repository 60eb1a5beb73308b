import { constants } from 'node:http2';
import { InvalidRequest } from '@echomq/core';
import { GetJobDataRequest, GetJobDataResponse } from '@echomq/proto/messages';
import { WorkerServiceClient } from '@echomq/proto/services';
import { eventually, signal } from '@echomq/testkit';
import type { ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { takenApart } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { serving } from './serving.js';
import { framed, silentStream } from './silent-client.js';

const request = GetJobDataRequest.fromPartial({});
const chunk = (byte: number, length = 65_536): GetJobDataResponse =>
  GetJobDataResponse.fromPartial({ chunk: Buffer.alloc(length, byte) });

describe('a stream of answers', () => {
  it('comes whole and in order, and ends with OK', async () => {
    const engine = new FakeEngine({
      worker: {
        async *getJobData() {
          for (let byte = 0; byte < 100; byte += 1) yield chunk(byte);
        },
      },
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).getJobData(request);
    const bytes: number[] = [];
    for await (const part of stream) bytes.push((part as GetJobDataResponse).chunk[0] ?? -1);
    expect(bytes).toEqual(Array.from({ length: 100 }, (_, byte) => byte));
  });

  it('ends with the error of the engine', async () => {
    const engine = new FakeEngine({
      worker: {
        async *getJobData() {
          yield chunk(1, 3);
          throw new InvalidRequest('job_id', 'must not be empty');
        },
      },
    });
    const stream = (await serving(engine)).client(WorkerServiceClient).getJobData(request);
    const failed = signal<ServiceError>('the error');
    stream.on('data', () => undefined);
    stream.on('error', failed.resolve);
    expect(takenApart(await failed.wait())).toMatchObject({
      status: 'INVALID_ARGUMENT',
      violations: [['job_id', 'must not be empty']],
    });
  });

  it('is pulled only as fast as the client reads, and let go when it cancels', async () => {
    let pulled = 0;
    const released = signal('the end of the generator');
    const engine = new FakeEngine({
      worker: {
        async *getJobData() {
          try {
            for (; ; pulled += 1) yield chunk(1);
          } finally {
            released.resolve();
          }
        },
      },
    });
    const { gateway } = await serving(engine);
    const stream = silentStream(gateway.address, '/echomq.v1.WorkerService/GetJobData');
    stream.end(framed(GetJobDataRequest.encode(request).finish()));
    await eventually(() => expect(pulled).toBeGreaterThan(1));
    // Two looks with nothing pulled between them: it stands still, and not far from where it began.
    await eventually(async () => {
      const before = pulled;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(pulled).toBe(before);
    });
    expect(pulled).toBeLessThan(20);
    stream.close(constants.NGHTTP2_CANCEL);
    await released.wait();
  });
});
