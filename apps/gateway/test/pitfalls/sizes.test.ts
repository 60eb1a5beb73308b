import { WorkRequest } from '@echomq/proto/messages';
import { eventually, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Held, Stand } from '../errors/stand.js';
import { type Answer, base64 } from '../errors/wire.js';
import { framed, silentStream } from '../silent-client.js';
import { playWorker } from './worker-stream.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis);
});
afterAll(() => stand.close());

describe('pitfall 7: a worker that opens a wide window and does not read', () => {
  it('T110 push overload: is given what its connection takes and no more; another one works on beside it', async () => {
    const [queue, other] = [stand.queue(), stand.queue()];
    const data = `"${'x'.repeat(65_000)}"`;
    const ids = Array.from({ length: 300 }, (_, at) => `job-${at}`);
    await queue.seed({ wait: ids, jobs: Object.fromEntries(ids.map((id) => [id, { data }])) });
    const stream = silentStream(stand.gateway.address, '/echomq.v1.WorkerService/Work');
    const worker = { workerId: 'deaf', sessionId: 'deaf' };
    const subscriptions = [{ queue: queue.name, maxInFlight: 10_000, maxInFlightBytes: 1 << 30 }];
    const open = WorkRequest.fromPartial({
      message: { $case: 'open', value: { worker, subscriptions } },
    });
    stream.write(framed(WorkRequest.encode(open).finish()));
    await eventually(async () =>
      expect(await redis.client.llen(queue.key('active'))).toBeGreaterThan(0),
    );
    const well = playWorker(stand.wire, other.name, { maxInFlight: 1 });
    await well.next('opened');
    for (let count = 1; count <= 30; count += 1) {
      await stand.add(other.name);
      const [lease] = (await well.delivered(count)).slice(-1);
      if (lease) well.complete(lease, count);
    }
    await eventually(async () => expect(await redis.client.zcard(other.key('completed'))).toBe(30));
    // A message of 3.5 MiB, 256 KiB that wait behind it, and what the sockets hold.
    expect(await redis.client.llen(queue.key('active'))).toBeLessThan(100);
    well.cancel();
    await well.ended;
    stream.close();
    await eventually(
      async () => expect(await redis.client.llen(queue.key('active'))).toBe(0),
      15_000,
    );
    expect((await queue.read()).wait).toEqual(ids);
  }, 60_000);
});

describe('pitfall 9: a job that no message can hold', () => {
  it('T095 poison by size: is delivered without its data, the others of its batch with theirs; it is read in parts', async () => {
    const queue = stand.queue();
    const large = JSON.stringify('é'.repeat(2_621_440));
    const jobs = { small: { data: '{"a":1}' }, large: { data: large }, last: { data: '[2]' } };
    await queue.seed({ wait: ['last', 'large', 'small'], jobs });
    const fetched: Answer[] = [];
    const request = { queue: queue.name, maxJobs: 3, wait: '0s' };
    while (fetched.length < 3) {
      fetched.push(...(await stand.wire.answer('FetchJobs', request)).jobs);
    }
    const brief = fetched.map(({ lease, data, dataOmitted, dataSize }) => ({
      ...{ id: lease.jobId, data, dataOmitted, dataSize },
    }));
    expect(brief).toEqual([
      { id: 'small', data: base64('{"a":1}'), dataOmitted: undefined, dataSize: expect.anything() },
      { id: 'large', data: undefined, dataOmitted: true, dataSize: Buffer.byteLength(large) },
      { id: 'last', data: base64('[2]'), dataOmitted: undefined, dataSize: expect.anything() },
    ]);
    const lease: Held = fetched[1].lease;
    const { answers } = await stand.wire.call('GetJobData', { lease });
    const parts = answers.map(({ chunk }) => Buffer.from(chunk, 'base64'));
    expect(answers[0].totalSize).toBe(Buffer.byteLength(large));
    expect(Buffer.concat(parts).toString() === large).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(262_144);
  }, 60_000);
});
