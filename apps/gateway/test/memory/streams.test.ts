import { SubscribeRequest, WorkRequest } from '@echomq/proto/messages';
import { eventually, useRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { soon } from '../errors/stand.js';
import { base64 } from '../errors/wire.js';
import { playWorker } from '../pitfalls/worker-stream.js';
import { framed, silentStream } from '../silent-client.js';
import { growth, type MeasuredGateway, measuredGateway, openAndCancel } from './measured.js';

const redis = useRedis();
const MIB = 1_048_576;

describe('the memory of a gateway', () => {
  it('is the same after streams that were opened and cancelled', async () => {
    const gateway = await measuredGateway(redis);
    const queue = redis.freshQueue().name;
    await openAndCancel(gateway, queue, 400);
    const first = await gateway.measure();
    await openAndCancel(gateway, queue, 400);
    const grown = growth(first, await gateway.measure());
    expect(grown).toBeLessThan(0.1);
  }, 90_000);

  it('is bounded with a subscriber and with a worker that never read, and one that never acknowledges', async () => {
    const gateway = await measuredGateway(redis);
    const [events, jobs, held] = [redis.freshQueue(), redis.freshQueue(), redis.freshQueue()];
    await openAndCancel(gateway, events.name, 100);
    const before = await gateway.measure();
    const deaf = silentStream(gateway.address, '/echomq.v1.EventService/Subscribe');
    const request = SubscribeRequest.fromPartial({ queue: events.name, includePayloads: true });
    deaf.end(framed(SubscribeRequest.encode(request).finish()));
    await talk(gateway, events.name);
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
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(
      32 * MIB,
    );
    // Others are served as ever.
    const server = await gateway.wire.answer('GetServerInfo', {});
    expect(server.serverInfo.apiVersions).toEqual(['echomq.v1']);
    mute.cancel();
    await soon(mute.ended);
    deaf.close();
  }, 90_000);
});

/** Makes 30 MiB of events for whoever subscribes. */
async function talk({ wire }: MeasuredGateway, queue: string): Promise<void> {
  const { jobId } = await wire.answer('AddJob', { queue, name: 'n' });
  const progress = base64(`"${'x'.repeat(524_288)}"`);
  for (let count = 0; count < 60; count += 1) {
    await wire.answer('SetJobProgress', { queue, jobId, progress });
  }
}

/** 300 jobs of 64 KiB. */
async function floodOf(queue: ReturnType<typeof redis.freshQueue>): Promise<void> {
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
