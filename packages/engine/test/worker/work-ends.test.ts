import { JobSignalKind } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { complete, fetchOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import {
  beat,
  openOf,
  openWork,
  report,
  sessionOf,
  subscriptionOf,
  type TestWorker,
} from '../work-link.js';

const used = useEngine();

/** Ids of all jobs that came. */
const ids = (worker: TestWorker) =>
  worker.of('delivery').flatMap(({ jobs }) => jobs.map(({ lease }) => lease?.jobId));
const jobsOf = (worker: TestWorker) => worker.of('delivery').flatMap(({ jobs }) => jobs);
const drained = async (worker: TestWorker) => {
  worker.send({ $case: 'drain', value: { reason: '', releaseUnstarted: true } });
  worker.halfClose();
  await worker.over;
};

describe('the end', () => {
  test('a broken link: what has begun stays the worker’s for a while, the rest goes back', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    const open = openOf(queue, {}, 2);
    const worker = openWork(used.engine, open);
    await expect.poll(() => ids(worker)).toEqual(['1', '2']);
    const [one] = jobsOf(worker);
    worker.send(beat([one]));
    await worker.waitFor('heartbeatAck');
    worker.cut();
    await worker.over;
    await expect.poll(() => queue.read()).toMatchObject({ active: ['1'], wait: ['3', '2'] });

    const again = openWork(used.engine, {
      ...open,
      epoch: 1,
      held: one?.lease ? [one.lease, { ...one.lease, jobId: '2' }] : [],
    });
    const [opened] = await again.waitFor('opened');
    expect(opened?.adopted).toMatchObject([{ leaseToken: one?.lease?.leaseToken, status: 1 }]);
    expect(opened?.rejected).toMatchObject([{ status: 2 }]);
    // What was adopted counts against the window.
    await expect.poll(() => ids(again)).toEqual(['2']);
    again.send(report(1, one, complete('1')));
    await expect.poll(() => ids(again)).toEqual(['2', '3']);
    expect(await queue.read()).toMatchObject({ '1': { returnvalue: '1' } });
    await drained(again);
  });

  test('a higher epoch takes the place of an open stream, a lower one is refused', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const open = openOf(queue, { epoch: 3 });
    const first = openWork(used.engine, open);
    await expect.poll(() => ids(first)).toEqual(['1']);
    const [job] = jobsOf(first);
    first.send(beat([job]));
    await first.waitFor('heartbeatAck');
    const held = job?.lease ? [job.lease] : [];
    const second = openWork(used.engine, { ...open, epoch: 4, held });
    expect(await refused(first.over)).toMatchObject({
      code: 'ABORTED',
      reason: 'SESSION_SUPERSEDED',
    });
    const [opened] = await second.waitFor('opened');
    expect(opened?.adopted).toHaveLength(1);
    const late = openWork(used.engine, { ...open, epoch: 2 });
    expect(await refused(late.over)).toMatchObject({ reason: 'SESSION_SUPERSEDED' });
    second.send(report(1, job, complete('1')));
    await second.waitFor('reportAck');
    await drained(second);
    expect((await queue.read()).active).toBeUndefined();
  });

  test('a session may come back to another engine', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const other = await used.another();
    const open = openOf(queue);
    const first = openWork(used.engine, open);
    await expect.poll(() => ids(first)).toEqual(['1']);
    const [job] = jobsOf(first);
    first.send(beat([job]));
    await first.waitFor('heartbeatAck');
    first.cut();
    await first.over;
    const held = job?.lease ? [job.lease] : [];
    const second = openWork(other, { ...open, epoch: 1, held });
    expect((await second.waitFor('opened'))[0]?.adopted).toHaveLength(1);
    second.send(report(1, job, complete('1')));
    expect((await second.waitFor('reportAck'))[0]?.outcome?.$case).toBe('result');
    await drained(second);
  });

  test('half closed without a drain is a violation; nothing that has begun is lost', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const worker = openWork(used.engine, openOf(queue));
    await expect.poll(() => ids(worker)).toEqual(['1', '2']);
    worker.send(report(1, jobsOf(worker)[0], complete('1')));
    worker.halfClose();
    expect(await refused(worker.over)).toMatchObject({ reason: 'PROTOCOL_VIOLATION' });
    await expect.poll(() => queue.read()).toMatchObject({ '1': { returnvalue: '1' }, wait: ['2'] });
  });

  test('a job that is handed out while its worker leaves goes back to the front', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    const worker = openWork(used.engine, openOf(queue));
    await worker.waitFor('opened');
    worker.cut();
    await worker.over;
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['3', '2', '1'] });
    const { worker: api } = used.engine.services;
    const { jobs } = await api.fetchJobs(fetchOf(queue), patient);
    expect(jobs[0]?.lease?.jobId).toBe('1');
  });
});

describe('leases', () => {
  test('are renewed while the worker names them, and lost when it does not', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const subscriptions = [subscriptionOf(queue, { lockDuration: seconds(2) })];
    const worker = openWork(used.engine, openOf(queue, { subscriptions }));
    await expect.poll(() => ids(worker)).toEqual(['1', '2']);
    const [one, two] = jobsOf(worker);
    const until = performance.now() + 3_000;
    for (let seq = 1; performance.now() < until; seq++) {
      worker.send(beat(seq === 1 ? [one, two] : [one], seq));
      await worker.waitFor('heartbeatAck', seq);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const state = await queue.read();
    // The one it no longer named went back to the front, and came again to the same worker.
    expect(state['1:lock']).toBe(one?.lease?.leaseToken);
    expect(state['2:lock']).not.toBe(two?.lease?.leaseToken);
    worker.send(report(1, one, complete('1')));
    const [ack] = await worker.waitFor('reportAck');
    expect(ack?.outcome?.$case).toBe('result');
    await drained(worker);
  });

  test('a lock that somebody deleted is told to the worker, and its slot is free', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const subscriptions = [subscriptionOf(queue, { lockDuration: seconds(1), maxInFlight: 1 })];
    const worker = openWork(used.engine, openOf(queue, { subscriptions }));
    await expect.poll(() => ids(worker)).toEqual(['1']);
    worker.send(beat(jobsOf(worker)));
    await used.redis.client.del(queue.key('1:lock'));
    const [signal] = await worker.waitFor('jobSignal');
    expect(signal).toMatchObject({ lease: { jobId: '1' }, kind: JobSignalKind.LOCK_LOST });
    await expect.poll(() => ids(worker)).toEqual(['1', '2']);
    await drained(worker);
  });
});

test('a session keeps its name through a window of many reports', async () => {
  const queue = used.queue();
  const all = Array.from({ length: 300 }, (_, at) => String(at));
  await queue.seed(waiting(...all));
  const worker = openWork(used.engine, openOf(queue, { worker: sessionOf('steady') }, 20));
  let reports = 0;
  let seen = 0;
  const done = new Promise<void>((resolve) => {
    worker.onMessage((message) => {
      if (message.$case === 'delivery') {
        for (const job of message.value.jobs) {
          worker.send(report(++reports, job, complete('1'), Math.max(0, seen - 1)));
        }
      } else if (message.$case === 'reportAck') {
        seen++;
        if (seen === all.length) resolve();
      }
    });
  });
  await done;
  expect(ids(worker)).toHaveLength(all.length);
  expect(new Set(ids(worker))).toEqual(new Set(all));
  await drained(worker);
  const state = await queue.read();
  expect(state.completed).toHaveLength(all.length);
  expect(state.active).toBeUndefined();
});
