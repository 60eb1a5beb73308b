import { createServer } from 'node:net';
import {
  AddJobRequest,
  type AddJobResponse,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { eventually, signal } from '@echomq/testkit';
import { type ChannelCredentials, Metadata } from '@grpc/grpc-js';
import { expect, onTestFinished } from 'vitest';
import { unary } from './call.js';

/** A port that was free a moment ago. */
export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

/** What clients see of a proxy in front of a gateway. */
export interface Front {
  readonly address: string;
  readonly secure: ChannelCredentials;
}

/** A call passes with the id of its request, and a Work stream gets its delivery. */
export async function expectPassage({ address, secure }: Front): Promise<void> {
  const producer = new ProducerServiceClient(address, secure);
  const worker = new WorkerServiceClient(address, secure);
  onTestFinished(() => {
    producer.close();
    worker.close();
  });
  const metadata = new Metadata();
  metadata.set('x-request-id', 'through-a-proxy');
  const ids = signal<unknown>('the id');
  await eventually(() =>
    unary<AddJobResponse>((done) => {
      const request = AddJobRequest.fromPartial({ queue: 'proxied', name: 'n' });
      const call = producer.addJob(request, metadata, done);
      call.on('metadata', (headers) => ids.resolve(headers.get('x-request-id')[0]));
      return call;
    }),
  );
  expect(await ids.wait()).toBe('through-a-proxy');
  const stream = worker.work();
  const delivered = signal('a delivery');
  stream.on('error', () => undefined);
  stream.on('data', ({ message }: WorkResponse) => {
    if (message?.$case === 'delivery') delivered.resolve();
  });
  const info = { workerId: 'w', name: 'w', sessionId: 's' };
  const value = { worker: info, subscriptions: [{ queue: 'proxied', maxInFlight: 1 }] };
  stream.write(WorkRequest.fromPartial({ message: { $case: 'open', value } }));
  await delivered.wait();
  stream.cancel();
}
