import { randomUUID } from 'node:crypto';
import * as pb from '@echomq/proto/messages';
import { WorkerServiceService } from '@echomq/proto/services';
import { type Collected, collect } from '@echomq/testkit';
import { onTestFinished } from 'vitest';
import { type RawClient, span } from '../../src/index.js';

/** A Work stream without any help: what it is sent is gathered, and it says nothing by itself. */
export interface RawStream {
  readonly jobs: Collected<pb.DeliveredJob>;
  /** How it ended: the name of the status. */
  readonly ended: Promise<number>;
  send(message: NonNullable<pb.WorkRequest['message']>): void;
  cancel(): void;
}

/** Opens one on a queue. @param lockMs life of its locks, ms */
export function openWork(
  raw: RawClient,
  queue: string,
  maxInFlight: number,
  lockMs = 30_000,
): RawStream {
  const { path, requestSerialize, responseDeserialize } = WorkerServiceService.work;
  const call = raw.channel.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  const jobs = collect<pb.DeliveredJob>('jobs');
  call.on('data', ({ message }: pb.WorkResponse) => {
    if (message?.$case === 'delivery') for (const job of message.value.jobs) jobs.push(job);
  });
  call.on('error', () => {});
  const ended = new Promise<number>((resolve) => {
    call.on('status', ({ code }) => resolve(code));
  });
  const worker = { workerId: 'raw', sessionId: randomUUID() };
  const open = { worker, subscriptions: [{ queue, maxInFlight, lockDuration: span(lockMs) }] };
  call.write(pb.WorkRequest.fromPartial({ message: { $case: 'open', value: open } }));
  onTestFinished(() => call.cancel());
  return {
    jobs,
    ended,
    send: (message) => call.write({ message }),
    cancel: () => call.cancel(),
  };
}
