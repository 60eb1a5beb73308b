import type { JsonObject } from '@bufbuild/protobuf';
import { eventually, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, type Held, Stand, soon } from './errors/stand.js';
import { type Answer, base64 } from './errors/wire.js';
import { type PlayedWorker, playWorker } from './pitfalls/worker-stream.js';

const redis = useRedis();
let stand: Stand;
/** A worker that does everything right, beside all the others. */
let witness: PlayedWorker;
const others = { queue: '', done: 0 };
beforeAll(async () => {
  stand = await Stand.start(redis);
  others.queue = stand.queue().name;
  witness = playWorker(stand.wire, others.queue);
  await witness.next('opened');
});
afterAll(async () => {
  witness.cancel();
  await witness.ended;
  await stand.close();
});

/** The worker beside it takes another job and ends it: nothing has harmed its stream. */
async function othersGoOn(): Promise<void> {
  others.done += 1;
  await stand.add(others.queue);
  const leases = await witness.delivered(others.done);
  witness.complete(leases.at(-1) as Held, others.done);
  await eventually(() => {
    const acks = witness.answers.filter(({ reportAck }) => reportAck?.result);
    expect(acks).toHaveLength(others.done);
  }, 20_000);
}

const report = (lease: JsonObject, reportId: number, more: JsonObject = {}): JsonObject => ({
  report: {
    ...{ reportId, lease, outcome: { complete: { returnValue: base64('1') } } },
    ...more,
  },
});

/** The answers to reports, by the order in which they came. */
const acksOf = ({ answers }: PlayedWorker): Answer[] =>
  answers.flatMap(({ reportAck }) => (reportAck ? [reportAck] : []));

async function acks(worker: PlayedWorker, count: number): Promise<Answer[]> {
  return await eventually(() => {
    if (acksOf(worker).length < count) throw new Error(JSON.stringify(worker.answers.slice(1)));
    return acksOf(worker);
  }, 5_000);
}

const reasonOf = ({ error }: Answer): string | undefined =>
  error?.details.find((detail: Answer) => detail.reason)?.reason;

describe('on a stream', () => {
  it.each<[string, (worker: PlayedWorker, queue: string) => void]>([
    [
      'a second open',
      (worker, queue) => {
        const again = { workerId: 'w', sessionId: 'again' };
        worker.send({ open: { worker: again, subscriptions: [{ queue, maxInFlight: 1 }] } });
      },
    ],
    ['a half-close without a drain', (worker) => worker.half()],
  ])('%s is a violation, and ends this stream alone', async (_what, violate) => {
    const queue = stand.queue().name;
    const worker = playWorker(stand.wire, queue);
    await worker.next('opened');
    violate(worker, queue);
    expect(failureOf(await soon(worker.ended))).toMatchObject({
      ...{ status: 'INVALID_ARGUMENT', reason: 'PROTOCOL_VIOLATION' },
    });
    await othersGoOn();
  });

  it.each(['window', 'report', 'heartbeat', 'progress', 'logs', 'drain'])(
    '%s before the open is a violation',
    async (kind) => {
      const stream = stand.wire.open('Work', { [kind]: {} });
      expect(failureOf(await soon(stream.ended))).toMatchObject({ reason: 'PROTOCOL_VIOLATION' });
      await othersGoOn();
    },
  );

  it('a report of a lease that nobody has is refused, repeated ones are applied once; the stream goes on', async () => {
    const queue = stand.queue();
    await stand.add(queue.name, { options: { jobId: 'a' } });
    const worker = playWorker(stand.wire, queue.name);
    const [lease] = await worker.delivered(1);
    worker.send(report({ queue: queue.name, jobId: 'a', leaseToken: 'nobody' }, 1));
    worker.send(report({ queue: queue.name, jobId: 'no-such', leaseToken: 'nobody' }, 2));
    worker.send(report({}, 3));
    expect((await acks(worker, 3)).every(({ error }) => error)).toBe(true);
    // Twice at once is answered once, and again once it has its answer.
    worker.send(report(lease as Held, 4));
    worker.send(report(lease as Held, 4));
    const first = (await acks(worker, 4))[3];
    expect(first.result.disposition).toBe('DISPOSITION_COMPLETED');
    worker.send(report(lease as Held, 4));
    const second = (await acks(worker, 5))[4];
    expect(second.result).toMatchObject({ disposition: 'DISPOSITION_COMPLETED', replayed: true });
    worker.send(report(lease as Held, 4, { outcome: { release: {} } }));
    const other = (await acks(worker, 6))[5];
    expect([other.reportId, reasonOf(other)]).toEqual([4, 'REQUEST_ID_REUSED']);
    expect((await queue.read()).completed).toHaveLength(1);
    worker.send({ drain: { reason: 'fertig — 終わり 🎉' } });
    worker.half();
    expect((await soon(worker.ended)).failure).toBeUndefined();
    await othersGoOn();
  });

  it('a window of 0 takes nothing, one of 2^32-1 all there is', async () => {
    const queue = stand.queue();
    for (let count = 0; count < 5; count += 1) await stand.add(queue.name);
    const worker = playWorker(stand.wire, queue.name, { maxInFlight: 0 });
    await worker.next('opened');
    await othersGoOn();
    expect(worker.leases()).toEqual([]);
    worker.send({ window: { queue: queue.name, maxInFlight: 4_294_967_295 } });
    expect(await worker.delivered(5)).toHaveLength(5);
    worker.send({ window: { queue: 'another', maxInFlight: 1 } });
    worker.cancel();
    await worker.ended;
    await othersGoOn();
  });

  it('reasons in any script arrive as they were sent', async () => {
    const queue = stand.queue();
    const message = 'nicht möglich: 不可能 🚫\u0000 \u200f';
    await stand.add(queue.name, { options: { jobId: 'a' } });
    const worker = playWorker(stand.wire, queue.name);
    const [lease] = await worker.delivered(1);
    const outcome = { fail: { errorName: 'Fehler', message, retry: 'RETRY_MODE_NEVER' } };
    worker.send(report(lease as Held, 1, { outcome }));
    await acks(worker, 1);
    const { job } = await stand.wire.answer('GetJob', { queue: queue.name, jobId: 'a' });
    expect(job.failedReason).toBe(message);
    worker.cancel();
    await worker.ended;
  });
});
