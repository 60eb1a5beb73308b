import { EchoMQError } from '@echomq/core';
import type { DeliveredJob, JobLease, JobOutcome, WorkRequest } from '@echomq/proto/messages';
import { ChildFilter, JobSignalKind, LeaseStatus } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import type { WorkerApi } from '../../src/service.js';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork } from '../work-link.js';

const used = useEngine();
const NONE = Buffer.alloc(0);
type Kind = NonNullable<JobOutcome['kind']>;

/** Every way in which a hold can end. */
const OUTCOMES: { readonly [Case in Kind['$case']]: readonly Kind[] } = {
  complete: [complete('1')],
  fail: [fail('x'), fail('x', { retry: 2 }), fail('x', { retryDelay: seconds(5) })],
  release: [true, false].map((toFront) => ({ $case: 'release', value: { toFront } })),
  delay: [true, false].map((skipAttempt) => {
    const due = { $case: 'delay', value: seconds(5) } as const;
    return { $case: 'delay', value: { due, skipAttempt } };
  }),
  awaitChildren: [{ $case: 'awaitChildren', value: {} }],
  rateLimited: [{ $case: 'rateLimited', value: { duration: seconds(5) } }],
};
const ENDINGS = Object.values(OUTCOMES).flat();
const NEXT = {
  ...fetchOf({ name: '' } as FreshQueue, { maxJobs: 1 }),
  wait: seconds(0),
};

/** How each call that writes answers a lease: what refuses it, by its reason. */
const CALLS: {
  readonly [Rpc in keyof WorkerApi]: readonly ((lease: JobLease) => Promise<string>)[];
} = {
  // Takes jobs of its own and shows no lease.
  fetchJobs: [],
  finishJob: ENDINGS.flatMap((kind) =>
    [undefined, NEXT].flatMap((fetchNext) =>
      ['', 'once'].map((id) => (lease: JobLease) => {
        const requestId = id && `${id}-${Math.random()}`;
        const more = { requestId, fetchNext, progress: Buffer.from('7'), logs: ['a line'] };
        return refusal(
          worker().finishJob(finishOf({ lease } as DeliveredJob, kind, more), patient),
        );
      }),
    ),
  ),
  finishJobs: ENDINGS.flatMap((kind) =>
    [undefined, NEXT].map((fetchNext) => async (lease) => {
      const {
        requestId: _,
        fetchNext: __,
        worker: ___,
        ...item
      } = finishOf({ lease } as DeliveredJob, kind);
      const request = { items: [item, item], fetchNext, requestId: '', worker: undefined };
      const { results, next } = await worker().finishJobs(request, patient);
      expect(results.map(({ outcome }) => outcome?.$case)).toEqual(['error', 'error']);
      // No slot is free where nothing was finished.
      expect(next).toEqual([]);
      const [answer] = results;
      return answer?.outcome?.$case === 'error' ? reasonIn(answer.outcome.value.details) : '';
    }),
  ),
  extendLocks: [
    async (lease) => {
      const lockDuration = seconds(3_600);
      const request = { worker: undefined, leases: [lease], lockDuration, load: undefined };
      const { leases } = await worker().extendLocks(request, patient);
      const reasons = {
        [LeaseStatus.LOST]: 'LOCK_LOST',
        [LeaseStatus.NOT_OWNED]: 'LOCK_NOT_OWNED',
      };
      return reasons[leases[0]?.status as LeaseStatus.LOST] ?? '';
    },
  ],
  updateProgress: [
    (lease) => refusal(worker().updateProgress({ lease, progress: Buffer.from('7') }, patient)),
  ],
  appendLogs: [0, undefined].map((keep) => (lease) => {
    return refusal(worker().appendLogs({ lease, lines: ['x'], keep, requestId: '' }, patient));
  }),
  updateJobData: [
    (lease) => refusal(worker().updateJobData({ lease, data: Buffer.from('7') }, patient)),
  ],
  getChildrenValues: [
    (lease) => {
      const page = { pageSize: 0, pageToken: '', filter: ChildFilter.PROCESSED };
      return refusal(worker().getChildrenValues({ lease, ...page }, patient));
    },
  ],
  getJobData: [
    (lease) =>
      refusal(partsOf(worker().getJobData({ target: { $case: 'lease', value: lease } }, patient))),
  ],
  work: [
    ...ENDINGS.map((kind) => async (lease: JobLease) => {
      const value = { reportId: 1, ackedThrough: 0, lease, outcome: { kind } };
      const report = { $case: 'report' as const, value: { ...value, progress: NONE, logs: ['x'] } };
      const stream = streamOf(lease, report);
      const [ack] = await stream.waitFor('reportAck');
      stream.cut();
      return ack?.outcome?.$case === 'error' ? reasonIn(ack.outcome.value.details) : '';
    }),
    (lease) =>
      signalled(lease, { $case: 'progress', value: { lease, progress: Buffer.from('7') } }),
    (lease) => signalled(lease, { $case: 'logs', value: { lease, lines: ['x'], keep: undefined } }),
    async (lease) => {
      const stream = openWork(used.engine, { ...openFor(lease), held: [lease] });
      const [opened] = await stream.waitFor('opened');
      stream.cut();
      expect(opened?.adopted).toEqual([]);
      const lost = opened?.rejected[0]?.status === LeaseStatus.LOST;
      return lost ? 'LOCK_LOST' : 'LOCK_NOT_OWNED';
    },
  ],
};

const worker = () => used.engine.services.worker;
/** A queue that the lease is of, for a stream without room for a job. */
const openFor = ({ queue }: JobLease) => openOf({ name: queue } as FreshQueue, {}, 0);

function streamOf(lease: JobLease, message: NonNullable<WorkRequest['message']>) {
  const stream = openWork(used.engine, openFor(lease));
  stream.send(message);
  return stream;
}

async function signalled(lease: JobLease, message: NonNullable<WorkRequest['message']>) {
  const stream = streamOf(lease, message);
  const [signal] = await stream.waitFor('jobSignal');
  stream.cut();
  expect(signal).toMatchObject({ lease, kind: JobSignalKind.LOCK_LOST });
  // A signal has one kind for both.
  return 'SIGNALLED';
}

async function partsOf(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) throw new Error('a former owner reads the payload');
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof EchoMQError) return error.reason;
    throw error;
  }
  throw new Error('the call was accepted');
}

function reasonIn(details: readonly { readonly value: Uint8Array }[]): string {
  return (
    /LOCK_LOST|LOCK_NOT_OWNED/.exec(
      Buffer.concat(details.map(({ value }) => value)).toString(),
    )?.[0] ?? ''
  );
}

/** A queue whose first job was taken; the next one waits. What sweeps would write is put off. */
async function taken() {
  const queue = used.queue();
  await queue.seed({ ...waiting('a', 'b'), 'stalled-check': '1' });
  await queue.seed({ ttls: { 'stalled-check': 600_000 } });
  const { jobs } = await worker().fetchJobs(fetchOf(queue), patient);
  const lease = jobs[0]?.lease;
  if (!lease) throw new Error('nothing was taken');
  const snapshot = async () => {
    const dump = await queue.read();
    // Who works on the queue is noted beside it.
    return Object.entries(dump).filter(([key]) => !key.startsWith('meta:workers'));
  };
  return { queue, lease, snapshot };
}

const redis = () => used.redis.client;

/** What has become of the job since its former owner took it. */
const SINCE = [
  {
    since: 'somebody else holds it',
    reasons: ['LOCK_NOT_OWNED', 'SIGNALLED'],
    become: async ({ queue }: Awaited<ReturnType<typeof taken>>) => {
      await redis().set(queue.key('a:lock'), 'another-token', 'PX', 5_000);
    },
  },
  {
    since: 'its lock has run out',
    reasons: ['LOCK_LOST', 'SIGNALLED'],
    become: async ({ queue }: Awaited<ReturnType<typeof taken>>) => {
      await redis().del(queue.key('a:lock'));
    },
  },
  {
    since: 'somebody else has ended it',
    reasons: ['LOCK_LOST', 'SIGNALLED'],
    become: async ({ queue, lease }: Awaited<ReturnType<typeof taken>>) => {
      await worker().finishJob(finishOf({ lease } as DeliveredJob, complete('1')), patient);
      await redis().del(queue.key('a:logs'));
    },
  },
];

describe('a former owner changes nothing', () => {
  test('by any rpc that there is', () => {
    const { work, ...unary } = used.engine.services.worker;
    expect(Object.keys(CALLS).sort()).toEqual(['work', ...Object.keys(unary)].sort());
    expect(work).toBeTypeOf('function');
  });

  test.each(SINCE)('T130 ex-owner writes: after $since', async ({ become, reasons }) => {
    for (const [rpc, calls] of Object.entries(CALLS)) {
      const job = await taken();
      await become(job);
      const before = await job.snapshot();
      for (const [at, call] of calls.entries()) {
        const reason = await call(job.lease);
        expect([rpc, at, reasons.includes(reason) ? 'refused' : reason]).toEqual([
          rpc,
          at,
          'refused',
        ]);
        expect([rpc, at, await job.snapshot()]).toEqual([rpc, at, before]);
      }
      expect(await redis().pttl(job.queue.key('a:lock'))).toBeLessThanOrEqual(5_000);
    }
  });
});
