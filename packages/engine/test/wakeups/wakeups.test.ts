import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { fetchOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork, subscriptionOf } from '../work-link.js';

const used = useEngine();
const idsOf = (jobs: readonly { lease: { jobId: string } | undefined }[]) =>
  jobs.map(({ lease }) => lease?.jobId);
const poll = (queue: FreshQueue, signal = patient.signal) => {
  const fetched = used.engine.services.worker.fetchJobs(fetchOf(queue, { wait: seconds(30) }), {
    signal,
  });
  // Its error is heard where it is waited for, which may be later.
  fetched.catch(() => undefined);
  return fetched;
};

/** Connections that block on markers now. */
const blockedIds = async () => {
  const list = (await used.redis.client.client('LIST')) as string;
  return list
    .split('\n')
    .filter((line) => / flags=\w*b/.test(line))
    .map((line) => /id=(\d+)/.exec(line)?.[1] ?? '');
};
const blocked = async () => (await blockedIds()).length;

describe('one connection', () => {
  test('waits for all queues that have somebody waiting', async () => {
    const queues = Array.from({ length: 20 }, () => used.queue());
    const abort = new AbortController();
    const polls = queues.map((queue) => poll(queue, abort.signal));
    await expect.poll(blocked).toBe(1);
    // Each of them wakes, whatever its place among the keys.
    for (const [at, queue] of queues.entries()) {
      await queue.seed({ ...waiting(`job-${at}`), marker: [['0', 0]] });
      expect(idsOf((await polls[at])?.jobs ?? [])).toEqual([`job-${at}`]);
    }
    abort.abort();
  });

  test('takes a queue in that joins while it waits, at once', async () => {
    const abort = new AbortController();
    const first = poll(used.queue(), abort.signal);
    await expect.poll(blocked).toBe(1);
    const queue = used.queue();
    const second = poll(queue, abort.signal);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const from = performance.now();
    await queue.seed({ ...waiting('1'), marker: [['0', 0]] });
    expect(idsOf((await second).jobs)).toEqual(['1']);
    expect(performance.now() - from).toBeLessThan(900);
    abort.abort();
    await first;
  });

  test('that is killed is replaced, and nothing is missed', async () => {
    const queue = used.queue();
    const waits = poll(queue);
    await expect.poll(blocked).toBe(1);
    // That one alone: a look that is on its way over the other connection would fail with it.
    let killed = '';
    await expect
      .poll(async () => {
        [killed = ''] = await blockedIds();
        return killed;
      })
      .not.toBe('');
    await used.redis.client.call('CLIENT', 'KILL', 'ID', killed);
    await expect
      .poll(async () => (await blockedIds()).filter((id) => id !== killed).length)
      .toBe(1);
    await queue.seed({ ...waiting('1'), marker: [['0', 0]] });
    expect(idsOf((await waits).jobs)).toEqual(['1']);
  });

  test('puts a marker back that it popped for nobody: another worker is waiting for it', async () => {
    const queue = used.queue();
    const abort = new AbortController();
    const gone = poll(queue, abort.signal);
    await expect.poll(blocked).toBe(1);
    abort.abort();
    await gone;
    await queue.seed({ marker: [['0', 0]] });
    const peer = used.redis.connect();
    const popped = await peer.bzpopmin(queue.key('marker'), 5);
    expect(popped).toEqual([queue.key('marker'), '0', '0']);
  });

  test('waits for the others where one queue has something else in the place of its marker', async () => {
    const broken = used.queue();
    await used.redis.client.set(broken.key('marker'), 'no marker');
    const abort = new AbortController();
    const idle = poll(broken, abort.signal);
    const queue = used.queue();
    for (const id of ['1', '2', '3']) {
      const waits = poll(queue);
      await expect.poll(blocked).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const from = performance.now();
      await queue.seed({ ...waiting(id), marker: [['0', 0]] });
      expect(idsOf((await waits).jobs)).toEqual([id]);
      expect(performance.now() - from).toBeLessThan(500);
    }
    abort.abort();
    await idle;
  });

  test('a job without a marker is found by the poll that backs it', async () => {
    const queue = used.queue();
    const waits = poll(queue);
    await expect.poll(blocked).toBe(1);
    await queue.seed(waiting('1'));
    expect(idsOf((await waits).jobs)).toEqual(['1']);
  });
});

test('the marker of a due job tells when to look; its holder looks then', async () => {
  const queue = used.queue();
  const waits = poll(queue);
  await expect.poll(blocked).toBe(1);
  const [secondsNow, micros] = await used.redis.client.time();
  const due = Number(secondsNow) * 1_000 + Math.ceil(Number(micros) / 1_000) + 250;
  await queue.seed({
    jobs: { '1': { delay: 250 } },
    delayed: [['1', due * 4_096]],
    marker: [['1', due]],
  });
  const { jobs } = await waits;
  const late = Date.now() - due;
  expect(idsOf(jobs)).toEqual(['1']);
  expect(late).toBeGreaterThanOrEqual(-1);
  expect(late).toBeLessThan(1_000);
});

test('two engines on one queue share its jobs', async () => {
  const queue = used.queue();
  const other = await used.another();
  const mine = openWork(used.engine, openOf(queue, {}, 50));
  const theirs = openWork(other, openOf(queue, { subscriptions: [subscriptionOf(queue)] }));
  await Promise.all([mine.waitFor('opened'), theirs.waitFor('opened')]);
  const ids = Array.from({ length: 60 }, (_, at) => `job-${at}`);
  await queue.seed({ ...waiting(...ids), marker: [['0', 0]] });
  const jobs = () => [mine, theirs].map((w) => w.of('delivery').flatMap((each) => each.jobs));
  await expect.poll(() => jobs().flat().length).toBe(60);
  expect(new Set(idsOf(jobs().flat())).size).toBe(60);
  expect(jobs().map((each) => each.length)).toEqual([50, 10]);
  mine.cut();
  theirs.cut();
});
