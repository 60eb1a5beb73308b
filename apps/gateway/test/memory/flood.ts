import { setTimeout as sleep } from 'node:timers/promises';
import { WorkRequest } from '@echomq/proto/messages';
import type { UsedRedis } from '@echomq/testkit';
import { framed, silentStream } from '../silent-client.js';
import type { MeasuredGateway } from './measured.js';

/** For so long the store answers nobody, ms. */
const STILL_MS = 8_000;
/** In so much time a gateway that reads on has read all of it, ms. */
const READ_MS = 5_000;

type Message = NonNullable<WorkRequest['message']>;
const frame = (message: Message) =>
  framed(WorkRequest.encode(WorkRequest.fromPartial({ message } as never)).finish());

/** A worker sends so many MiB of progress while the store stands still. Resolves a while later. */
export async function floodWithProgress(
  redis: UsedRedis,
  { address, wire }: MeasuredGateway,
  mib: number,
): Promise<{ readonly mib: number; readonly end: () => Promise<void> }> {
  const queue = redis.freshQueue().name;
  await wire.answer('AddJob', { queue, name: 'n' });
  const { jobs } = await wire.answer('FetchJobs', { queue, maxJobs: 1 });
  const stream = silentStream(address, '/echomq.v1.WorkerService/Work');
  const open = { worker: { workerId: 'flood', sessionId: 'flood' }, subscriptions: [{ queue }] };
  stream.write(frame({ $case: 'open', value: open } as never));
  // Opened: from now on it reads.
  await new Promise<void>((resolve) => stream.once('data', () => resolve()));
  stream.resume();
  await redis.client.client('PAUSE', STILL_MS, 'ALL');
  const progress = Buffer.from(`"${'x'.repeat(524_286)}"`);
  const bytes = frame({ $case: 'progress', value: { lease: jobs[0].lease, progress } } as never);
  for (let sent = 0; sent < 2 * mib; sent += 1) stream.write(bytes);
  await sleep(READ_MS);
  return {
    mib,
    end: async () => {
      await redis.client.client('UNPAUSE' as never);
      stream.close();
    },
  };
}
