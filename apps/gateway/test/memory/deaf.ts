import { SubscribeRequest, WorkRequest } from '@echomq/proto/messages';
import { eventually, type UsedRedis } from '@echomq/testkit';
import { expect } from 'vitest';
import { soon } from '../errors/stand.js';
import { base64 } from '../errors/wire.js';
import { playWorker } from '../pitfalls/worker-stream.js';
import { framed, silentStream } from '../silent-client.js';
import { type MeasuredGateway, type Memory, measuredGateway, openAndCancel } from './measured.js';

/**
 * A gateway with a subscriber and a worker that never read, and a worker that never acknowledges.
 *
 * @param count events of half a MiB that the subscriber does not read
 * @returns its memory before them and with them
 */
export async function besideTheDeaf(
  redis: UsedRedis,
  count: number,
): Promise<{ readonly before: Memory; readonly after: Memory }> {
  const gateway = await measuredGateway(redis);
  const [events, jobs, held] = [redis.freshQueue(), redis.freshQueue(), redis.freshQueue()];
  await openAndCancel(gateway, events.name, 100);
  const before = await gateway.measure();
  const deaf = silentStream(gateway.address, '/echomq.v1.EventService/Subscribe');
  const request = SubscribeRequest.fromPartial({ queue: events.name, includePayloads: true });
  deaf.end(framed(SubscribeRequest.encode(request).finish()));
  await talk(gateway, events.name, count);
  await floodOf(jobs);
  await openDeafWorker(gateway, jobs.name);
  // It takes two jobs, says that it runs them, and never reads an answer nor acknowledges one.
  await gateway.wire.answer('AddJobs', {
    ...{ queue: held.name, items: [{ name: 'n' }, { name: 'n' }] },
    mode: 'ADD_MODE_ATOMIC',
  });
  const mute = playWorker(gateway.wire, held.name, { maxInFlight: 2 });
  const leases = await mute.delivered(2);
  for (let round = 0; round < 500; round += 1) mute.beat(leases);
  await eventually(async () =>
    expect(await redis.client.llen(jobs.key('active'))).toBeGreaterThan(0),
  );
  const after = await gateway.measure();
  // Others are served as ever.
  const server = await gateway.wire.answer('GetServerInfo', {});
  expect(server.serverInfo.apiVersions).toEqual(['echomq.v1']);
  mute.cancel();
  await soon(mute.ended);
  deaf.close();
  return { before, after };
}

/** Makes so many events of half a MiB for whoever subscribes. */
async function talk({ wire }: MeasuredGateway, queue: string, events: number): Promise<void> {
  const { jobId } = await wire.answer('AddJob', { queue, name: 'n' });
  const progress = base64(`"${'x'.repeat(524_288)}"`);
  for (let count = 0; count < events; count += 1) {
    await wire.answer('SetJobProgress', { queue, jobId, progress });
  }
}

/** 300 jobs of 64 KiB. */
async function floodOf(queue: ReturnType<UsedRedis['freshQueue']>): Promise<void> {
  const data = `"${'x'.repeat(65_000)}"`;
  const ids = Array.from({ length: 300 }, (_, at) => `job-${at}`);
  await queue.seed({ wait: ids, jobs: Object.fromEntries(ids.map((id) => [id, { data }])) });
}

async function openDeafWorker({ address }: MeasuredGateway, queue: string): Promise<void> {
  const stream = silentStream(address, '/echomq.v1.WorkerService/Work');
  const subscriptions = [{ queue, maxInFlight: 10_000, maxInFlightBytes: 1 << 30 }];
  const worker = { workerId: 'deaf', sessionId: 'deaf' };
  const open = { message: { $case: 'open' as const, value: { worker, subscriptions } } };
  stream.write(framed(WorkRequest.encode(WorkRequest.fromPartial(open)).finish()));
}
