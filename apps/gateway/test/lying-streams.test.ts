import type { JsonObject } from '@bufbuild/protobuf';
import { eventually, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, type Held, Stand, soon } from './errors/stand.js';
import { type Answer, base64, type OpenStream } from './errors/wire.js';

/** Workers that lie about who they are, what they hold and what they were answered, at two gateways on one store. */
const redis = useRedis();
let stands: readonly [Stand, Stand];
beforeAll(async () => {
  stands = [await Stand.start(redis), await Stand.start(redis)];
});
afterAll(async () => {
  for (const stand of stands) await stand.close();
});

const MOST = 4_294_967_295;
const complete = { complete: { returnValue: base64('1') } };
const subscribed = (queue: string, maxInFlight = 10) => [{ queue, maxInFlight }];

function open(at: 0 | 1, sessionId: string, more: JsonObject): OpenStream {
  return stands[at].wire.open('Work', { open: { worker: { workerId: 'w', sessionId }, ...more } });
}

const opened = (stream: OpenStream): Promise<Answer> => found(stream, 'opened');

function found(stream: OpenStream, kind: string): Promise<Answer> {
  return eventually(() => {
    const answer = stream.answers.find((one) => one[kind]);
    if (!answer) throw new Error(`no ${kind} came`);
    return answer[kind];
  }, 20_000);
}

function acks(stream: OpenStream, count: number): Promise<Answer[]> {
  return eventually(() => {
    const found = stream.answers.flatMap(({ reportAck }) => (reportAck ? [reportAck] : []));
    if (found.length < count) throw new Error(`${found.length} of ${count} acknowledged`);
    return found;
  }, 20_000);
}

function delivered(stream: OpenStream, count: number): Promise<Held[]> {
  return eventually(() => {
    const leases: Held[] = stream.answers.flatMap(({ delivery }) =>
      (delivery?.jobs ?? []).map(({ lease }: { lease: Held }) => lease),
    );
    if (leases.length < count) throw new Error(`${leases.length} of ${count} delivered`);
    return leases;
  }, 20_000);
}

const reasonOf = ({ error }: Answer): string | undefined =>
  error?.details.find((detail: Answer) => detail.reason)?.reason;

async function over(stream: OpenStream): Promise<void> {
  stream.cancel();
  await soon(stream.ended);
}

describe('a worker', () => {
  it('that puts the token of one job under the name of another ends neither', async () => {
    const queue = stands[0].queue();
    await stands[0].add(queue.name, { options: { jobId: 'a' } });
    await stands[0].add(queue.name, { options: { jobId: 'b' } });
    const stream = open(0, 'names', { subscriptions: subscribed(queue.name) });
    const leases = await delivered(stream, 2);
    const [a, b] = leases as [Held, Held];
    const lies = [
      { ...a, jobId: b.jobId },
      { ...a, queue: 'elsewhere' },
      { ...a, jobId: '' },
    ];
    lies.forEach((lease, at) => {
      stream.send({ report: { reportId: at + 1, lease, outcome: complete } });
    });
    const refused = await acks(stream, 3);
    expect(refused.map(reasonOf)).toEqual(['LOCK_LOST', 'LOCK_LOST', 'LOCK_LOST']);
    expect(await redis.client.llen(queue.key('active'))).toBe(2);
    leases.forEach((lease, at) => {
      stream.send({ report: { reportId: at + 4, lease, outcome: complete } });
    });
    const ends = (await acks(stream, 5)).slice(3);
    expect(ends.map(({ result }) => result?.disposition)).toEqual([
      ...['DISPOSITION_COMPLETED', 'DISPOSITION_COMPLETED'],
    ]);
    await over(stream);
  });

  it('that claims answers it never got loses only its own reports', async () => {
    const queue = stands[0].queue();
    await stands[0].add(queue.name);
    await stands[0].add(queue.name);
    const stream = open(0, 'acks', { subscriptions: subscribed(queue.name), ackedThrough: 7 });
    const [first, second] = (await delivered(stream, 2)) as [Held, Held];
    stream.send({ heartbeat: { seq: 1, ackedThrough: MOST } });
    stream.send({ report: { reportId: 8, lease: first, outcome: complete } });
    expect((await acks(stream, 1)).map(reasonOf)).toEqual(['LOCK_LOST']);
    await over(stream);
    const other = open(0, 'acks', {
      subscriptions: subscribed(queue.name, 0),
      epoch: 1,
      held: [first, second] as never,
    });
    expect((await opened(other)).adopted).toHaveLength(2);
    await over(other);
  });

  it('that brings along what it does not hold is told so, lease by lease; the true one is adopted once', async () => {
    const queue = stands[0].queue();
    await stands[0].add(queue.name, { options: { jobId: 'mine' } });
    const stream = open(0, 'liar', { subscriptions: subscribed(queue.name, 1) });
    const [lease] = (await delivered(stream, 1)) as [Held];
    stream.send({
      heartbeat: { seq: 1, held: { jobs: [{ leaseToken: lease.leaseToken, running: true }] } },
    });
    await found(stream, 'heartbeatAck');
    const held = [
      lease,
      lease,
      { ...lease, leaseToken: 'guessed' },
      { ...lease, jobId: 'never-was' },
      { queue: 'elsewhere', jobId: 'mine', leaseToken: lease.leaseToken },
    ];
    const there = open(1, 'liar', {
      subscriptions: subscribed(queue.name, 1),
      epoch: 1,
      held: held as never,
    });
    const greeting = await opened(there);
    expect(greeting.adopted.map(({ leaseToken }: Held) => leaseToken)).toEqual([
      ...[lease.leaseToken, lease.leaseToken],
    ]);
    expect(greeting.rejected.map(({ status }: Answer) => status)).toEqual([
      ...['LEASE_STATUS_NOT_OWNED', 'LEASE_STATUS_NOT_FOUND', 'LEASE_STATUS_NOT_FOUND'],
    ]);
    there.send({ report: { reportId: 1, lease, outcome: complete } });
    expect((await acks(there, 1))[0].result.disposition).toBe('DISPOSITION_COMPLETED');
    // The stream at the first gateway still believes that it holds the job.
    stream.send({ report: { reportId: 1, lease, outcome: complete } });
    expect((await acks(stream, 1))[0].result).toMatchObject({ replayed: true });
    expect((await queue.read()).completed).toHaveLength(1);
    await over(stream);
    await over(there);
  });

  it('with a stale epoch is refused and does not harm the stream that counts; the highest epoch is one too', async () => {
    const queue = stands[0].queue();
    const first = open(0, 'epochs', { subscriptions: subscribed(queue.name), epoch: MOST });
    await opened(first);
    for (const epoch of [0, MOST - 1, MOST]) {
      const stale = open(0, 'epochs', { subscriptions: subscribed(queue.name), epoch });
      expect(failureOf(await soon(stale.ended)).reason).toBe('SESSION_SUPERSEDED');
    }
    await stands[0].add(queue.name);
    await delivered(first, 1);
    await over(first);
  });

  it.each<[string, JsonObject, string]>([
    ['no subscription', { subscriptions: [] }, 'INVALID_FIELD'],
    ['a queue twice', { subscriptions: [{ queue: 'q' }, { queue: 'q' }] }, 'INVALID_FIELD'],
    ['a queue without a name', { subscriptions: [{ queue: '' }] }, 'INVALID_FIELD'],
    [
      'a lock of nothing',
      { subscriptions: [{ queue: 'q', lockDuration: '0.5s' }] },
      'INVALID_FIELD',
    ],
    [
      '1,001 queues',
      { subscriptions: Array.from({ length: 1_001 }, (_, at) => ({ queue: `q${at}` })) },
      'INVALID_FIELD',
    ],
    [
      '10,001 leases',
      {
        subscriptions: [{ queue: 'q' }],
        held: Array.from({ length: 10_001 }, () => ({ queue: 'q', jobId: '1', leaseToken: 't' })),
      },
      'INVALID_FIELD',
    ],
    [
      'a token of 10 kB',
      {
        subscriptions: [{ queue: 'q' }],
        held: [{ queue: 'q', jobId: '1', leaseToken: 't'.repeat(10_000) }],
      },
      'INVALID_FIELD',
    ],
    [
      'a session id of 1 MB',
      { worker: { sessionId: 's'.repeat(1_000_000) }, subscriptions: [{ queue: 'q' }] },
      'INVALID_FIELD',
    ],
    [
      'a name of 1 MB',
      { worker: { name: 'n'.repeat(1_000_000) }, subscriptions: [{ queue: 'q' }] },
      'INVALID_FIELD',
    ],
  ])('that opens with %s is refused by the field', async (_what, message, reason) => {
    const stream = stands[0].wire.open('Work', { open: message });
    const failure = failureOf(await soon(stream.ended));
    expect([failure.status, failure.reason]).toEqual(['INVALID_ARGUMENT', reason]);
  });

  it('that drains and goes on talking is served as one that leaves', async () => {
    const queue = stands[0].queue();
    await stands[0].add(queue.name);
    const stream = open(0, 'drains', { subscriptions: subscribed(queue.name, 1) });
    const [lease] = (await delivered(stream, 1)) as [Held];
    stream.send({
      heartbeat: { seq: 1, held: { jobs: [{ leaseToken: lease.leaseToken, running: true }] } },
    });
    stream.send({ drain: {} });
    stream.send({ drain: {} });
    stream.send({ window: { queue: queue.name, maxInFlight: MOST } });
    await stands[0].add(queue.name);
    stream.send({ report: { reportId: 1, lease, outcome: complete } });
    stream.half();
    const { answers, failure } = await soon(stream.ended);
    expect(failure).toBeUndefined();
    expect(answers.filter(({ delivery }) => delivery)).toHaveLength(1);
    expect(answers.at(-1).reportAck.result.disposition).toBe('DISPOSITION_COMPLETED');
  });

  it('that sends two hundred reports of one job at once has it ended once, and each of them answered', async () => {
    const queue = stands[0].queue();
    await stands[0].add(queue.name);
    const stream = open(0, 'flood', { subscriptions: subscribed(queue.name, 1) });
    const [lease] = (await delivered(stream, 1)) as [Held];
    for (let reportId = 1; reportId <= 200; reportId += 1) {
      stream.send({ report: { reportId, lease, outcome: complete } });
    }
    const answers = await acks(stream, 200);
    expect(answers.filter(({ result }) => result)).toHaveLength(1);
    const reasons = new Set(answers.filter(({ error }) => error).map(reasonOf));
    expect(
      [...reasons].filter(
        (reason) =>
          ![
            'LOCK_LOST',
            'LOCK_NOT_OWNED',
            'JOB_NOT_FOUND',
            'JOB_NOT_IN_STATE',
            'PROTOCOL_VIOLATION',
          ].includes(reason ?? ''),
      ),
    ).toEqual([]);
    expect((await queue.read()).completed).toHaveLength(1);
    await over(stream);
  });

  it('that names two thousand jobs in a heartbeat which it never got is told of each, and served on', async () => {
    const queue = stands[0].queue();
    const stream = open(0, 'names-many', { subscriptions: subscribed(queue.name, 1) });
    await opened(stream);
    const jobs = Array.from({ length: 2_000 }, (_, at) => ({
      leaseToken: `made-up-${at}`,
      running: true,
    }));
    stream.send({ heartbeat: { seq: 1, held: { jobs } } });
    const { leases } = await found(stream, 'heartbeatAck');
    expect(leases).toHaveLength(2_000);
    stream.send({ heartbeat: { seq: 2, unchanged: { count: 3, digest: base64('no digest') } } });
    stream.send({ heartbeat: { seq: 3, held: { jobs: [] } } });
    await stands[0].add(queue.name);
    await delivered(stream, 1);
    await over(stream);
  });
});
