import { ExtendLocksRequest, ListWorkersRequest, type WorkerSession } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../src/service.js';
import { fetchOf, seconds, useEngine, waiting } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';
import {
  beat,
  openOf,
  openWork,
  sessionOf,
  subscriptionOf,
  type TestWorker,
} from '../work-link.js';

const used = useEngine();

const page = (request: Partial<ListWorkersRequest>, context: CallContext = patient) =>
  used.engine.services.queue.listWorkers(frozen(ListWorkersRequest.fromPartial(request)), context);
const listed = async (queue: Pick<FreshQueue, 'name'>, context?: CallContext) =>
  (await page({ queue: queue.name }, context)).sessions;
const namesOf = (sessions: readonly WorkerSession[]) =>
  sessions.map(({ worker }) => worker?.sessionId).sort();
const drained = async (worker: TestWorker) => {
  worker.send({ $case: 'drain', value: { reason: '', releaseUnstarted: true } });
  worker.halfClose();
  await worker.over;
};
const jobsOf = (worker: TestWorker) => worker.of('delivery').flatMap(({ jobs }) => jobs);
const info = (sessionId: string) => ({
  ...sessionOf(sessionId),
  sdk: { language: 'test', version: '1' },
  host: 'h',
  pid: 7,
  labels: { zone: 'a' },
});

describe('ListWorkers', () => {
  test('tells who works on a queue, what it holds and how it stands', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    await queue.seed(waiting('1', '2'));
    const subscriptions = [subscriptionOf(queue), subscriptionOf(other)];
    const load = { running: 0, capacity: 4 };
    const worker = openWork(used.engine, openOf(queue, { subscriptions, worker: info('a'), load }));
    await worker.waitFor('opened');
    const alive = setInterval(() => worker.send(beat(jobsOf(worker))), 200);
    // What is delivered after the first note is told with the next, 10 s later.
    await expect
      .poll(async () => (await listed(queue))[0]?.held, { timeout: 15_000 })
      .toHaveLength(2);
    const [session] = await listed(queue);
    expect(session).toMatchObject({
      worker: info('a'),
      queues: [queue.name, other.name].sort(),
      load,
      held: ['1', '2'].map((jobId) => ({ queue: queue.name, jobId })),
    });
    const now = Date.now();
    for (const at of [session?.startedAt, session?.lastHeartbeatAt]) {
      expect(Math.abs(now - Number(at))).toBeLessThan(60_000);
    }
    expect((await listed(other))[0]?.held).toEqual([]);
    clearInterval(alive);
    await drained(worker);
  });

  test('those that leave in good order are gone at once; those that vanish lapse', async () => {
    const queue = used.queue();
    const leaving = openWork(used.engine, openOf(queue, { worker: info('leaving') }));
    const dying = openWork(used.engine, openOf(queue, { worker: info('dying') }));
    await expect.poll(async () => namesOf(await listed(queue))).toEqual(['dying', 'leaving']);
    await drained(leaving);
    await expect.poll(async () => namesOf(await listed(queue))).toEqual(['dying']);
    dying.cut();
    await dying.over;
    const keys = Object.keys(await queue.read()).filter((key) => key.startsWith('meta:workers:'));
    const ttls = await queue.readTtls();
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(ttls[key]).toBeGreaterThan(0);
      expect(ttls[key]).toBeLessThanOrEqual(30_000);
    }
    for (const key of keys.filter((each) => !each.endsWith('index'))) {
      await used.redis.client.del(queue.key(key));
    }
    expect(await listed(queue)).toEqual([]);
  });

  test('workers of other servers too, without a queue those of all that the caller may read', async () => {
    const [one, two, secret] = [used.queue(), used.queue(), used.queue()];
    const other = await used.another();
    const serving = (...queues: FreshQueue[]) => ({
      subscriptions: queues.map((queue) => subscriptionOf(queue)),
    });
    const workers = [
      openWork(used.engine, openOf(one, { worker: info('all-1'), ...serving(one, secret) })),
      openWork(other, openOf(two, { worker: info('all-2'), ...serving(one, two) })),
      openWork(other, openOf(secret, { worker: info('all-3'), ...serving(secret) })),
    ];
    await expect.poll(async () => namesOf(await listed(one))).toEqual(['all-1', 'all-2']);
    await expect.poll(async () => namesOf(await listed(secret))).toEqual(['all-1', 'all-3']);
    const mayRead = (queue: string) => queue === one.name || queue === two.name;
    const mine = async () =>
      (await page({ queue: '' }, { ...patient, mayRead })).sessions.filter(({ worker }) =>
        worker?.sessionId.startsWith('all-'),
      );
    await expect
      .poll(async () => namesOf(await mine()), { timeout: 10_000 })
      .toEqual(['all-1', 'all-2']);
    for (const { queues } of await mine()) expect(queues).not.toContain(secret.name);
    const [both] = (await mine()).filter(({ worker }) => worker?.sessionId === 'all-2');
    expect(both?.queues).toEqual([one.name, two.name].sort());
    for (const worker of workers) await drained(worker);
  });

  test('page by page, and no token of another list', async () => {
    const queue = used.queue();
    const ids = ['p1', 'p2', 'p3', 'p4', 'p5'];
    const workers = ids.map((id) => openWork(used.engine, openOf(queue, { worker: info(id) })));
    await expect.poll(() => listed(queue)).toHaveLength(5);
    const seen: WorkerSession[] = [];
    let pageToken = '';
    do {
      const answer = await page({ queue: queue.name, pageSize: 2, pageToken });
      expect(answer.sessions.length).toBeLessThanOrEqual(2);
      seen.push(...answer.sessions);
      pageToken = answer.nextPageToken;
    } while (pageToken !== '');
    expect(namesOf(seen)).toEqual(ids);
    const { nextPageToken } = await page({ queue: queue.name, pageSize: 2 });
    const foreign = page({ queue: used.queue().name, pageToken: nextPageToken });
    expect(await refused(foreign)).toMatchObject({ reason: 'INVALID_FIELD' });
    for (const worker of workers) await drained(worker);
  });

  test('of a queue that nobody knows, nobody', async () => {
    expect(await page({ queue: used.queue().name })).toEqual({ sessions: [], nextPageToken: '' });
  });

  test('what a worker says of itself is cut to size', async () => {
    const queue = used.queue();
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`l${at}`, 'x']));
    const big = { ...info('big'), host: 'ż'.repeat(10_000), labels };
    const worker = openWork(used.engine, openOf(queue, { worker: big }));
    await expect.poll(() => listed(queue)).toHaveLength(1);
    const [session] = await listed(queue);
    expect(Buffer.byteLength(session?.worker?.host ?? '')).toBeLessThanOrEqual(256);
    expect(Object.keys(session?.worker?.labels ?? {})).toHaveLength(32);
    await drained(worker);
  });
});

describe('a worker without a stream', () => {
  test('is listed with its calls if it says who it is, with what it holds', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const { worker } = used.engine.services;
    const fetched = await worker.fetchJobs(fetchOf(queue, { worker: info('calls') }), patient);
    await expect.poll(async () => namesOf(await listed(queue))).toEqual(['calls']);
    // A second call within 10 s is not noted; what it says is kept for the next time.
    const leases = fetched.jobs.flatMap(({ lease }) => lease ?? []);
    const renewal = ExtendLocksRequest.fromPartial({
      worker: info('calls'),
      leases,
      load: { running: 1, capacity: 1 },
    });
    await worker.extendLocks(frozen(renewal), patient);
    await worker.fetchJobs(fetchOf(queue), patient);
    expect(namesOf(await listed(queue))).toEqual(['calls']);
    const other = used.queue();
    await worker.extendLocks(
      frozen(
        ExtendLocksRequest.fromPartial({
          worker: info('other'),
          leases: [{ queue: other.name, jobId: '9', leaseToken: 't' }],
          load: { running: 1, capacity: 2 },
        }),
      ),
      patient,
    );
    await expect
      .poll(() => listed(other))
      .toMatchObject([
        { load: { running: 1, capacity: 2 }, held: [{ queue: other.name, jobId: '9' }] },
      ]);
  });

  test('is listed while it waits for a job', async () => {
    const queue = used.queue();
    const caller = new AbortController();
    const request = fetchOf(queue, { worker: info('waits'), wait: seconds(20) });
    const waited = used.engine.services.worker.fetchJobs(request, { signal: caller.signal });
    await expect.poll(async () => namesOf(await listed(queue))).toEqual(['waits']);
    caller.abort();
    await waited;
  });
});
