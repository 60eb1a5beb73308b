import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  fail,
  finish,
  PATIENCE_MS,
  scaled,
  span,
  take,
  useRig,
} from '../../src/index.js';
import { lateness } from './delayed-only.js';

const LONG = process.env.ECHOMQ_SOAK === 'long';
const rig = useRig({ gateways: 2, flags: ['--max-stalled-count=100'] });

describe('workers with free slots', () => {
  it('T020 wake-up lost: jobs that are all delayed start on time while workers come and go', {
    timeout: scaled(60_000, LONG ? 2_400_000 : 300_000),
  }, async () => {
    const late = await lateness(
      rig,
      scaled(
        { delayMs: [50, 250], forMs: 4_000, jobs: 100, restartEveryMs: 300 },
        {
          delayMs: [1_000, 5_000],
          forMs: LONG ? 1_800_000 : 120_000,
          jobs: 500,
          restartEveryMs: 1_500,
        },
      ),
    );
    // As it is written: a second. On a machine that is busy, three.
    expect(late.filter((ms) => ms > scaled(3_000, 1_000))).toEqual([]);
  });

  it('T023 bulk add wakes one worker: eight idle workers on connections of their own all begin', async () => {
    const queue = rig.freshQueue();
    const all = signal('eight handlers at once');
    let running = 0;
    const workers = Array.from({ length: 8 }, () =>
      rig.worker(queue.name, async () => {
        running += 1;
        if (running === 8) all.resolve();
        await all.wait(PATIENCE_MS);
      }),
    );
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    const jobs = rig.queue(queue.name);
    const from = performance.now();
    await jobs.addBulk(Array.from({ length: 8 }, () => ({ name: 'x', data: {} })));
    await all.wait(5_000);
    // 250 ms on an idle machine; for all eight the backing polls would take longer.
    expect(performance.now() - from).toBeLessThan(scaled(5_000, 1_000));
  });

  it('T024 resume no-op: a worker that was paused during a job takes the next when a slot is free', async () => {
    const queue = rig.freshQueue();
    const jobs = rig.queue<{ long?: boolean }>(queue.name);
    const [begun, go] = [signal('the long job'), signal('its end')];
    const ran: string[] = [];
    const worker = rig.worker<{ long?: boolean }>(queue.name, async (job) => {
      ran.push(job.id);
      if (!job.data.long) return;
      begun.resolve();
      await go.wait(PATIENCE_MS);
    });
    const first = await jobs.add('x', { long: true });
    await begun.wait();
    await worker.pause({ wait: false });
    expect(worker.isPaused).toBe(true);
    worker.resume();
    expect(worker.isPaused).toBe(false);
    const second = await jobs.add('x', {});
    expect(ran).toEqual([first.id]);
    go.resolve();
    await eventually(() => expect(ran).toEqual([first.id, second.id]), PATIENCE_MS);
    // The same with the pause over the whole of the job, and its end.
    await worker.pause();
    const third = await jobs.add('x', {});
    await sleep(50);
    expect(ran).toHaveLength(2);
    worker.resume();
    await eventually(() => expect(ran.at(-1)).toBe(third.id), PATIENCE_MS);
  });

  it('T025 limiter never reopens: ten jobs at two per span pass without another add', async () => {
    const queue = rig.freshQueue();
    const jobs = rig.queue(queue.name);
    rig.worker(queue.name, () => {}, { limiter: { max: 2, duration: 300 }, concurrency: 10 });
    const bulk = Array.from({ length: 10 }, () => ({ name: 'x', data: {} }));
    const ids = (await jobs.addBulk(bulk)).map(({ id }) => id);
    await eventually(
      async () =>
        expect(checkBooks(await queue.read(), { accepted: ids, atRest: true })).toEqual([]),
      PATIENCE_MS,
    );
    const state = await queue.read();
    const starts = ids.map((id) => Number((state[id] as Record<string, string>).processedOn));
    // Five spans by the store's clock: the last one begins after four have passed.
    expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThanOrEqual(4 * 300 - 10);
  });
});

it('T026 global cap exceeded: six workers of four slots never run two at once, and never stick', async () => {
  const queue = rig.freshQueue();
  const raws = rig.gateways.map(({ address }) => rig.raw(address));
  const [raw] = raws;
  if (raw === undefined) throw new Error('no gateway');
  await raw.call('queue', 'setConcurrency', { queue: queue.name, max: 1 });
  const ids: string[] = [];
  for (let at = 0; at < scaled(40, 200); at += 1) {
    ids.push(await add(raw, queue.name, { attempts: 3 }, { at }));
  }
  let [running, most, ended, stalls] = [0, 0, 0, 0];
  const slot = async (at: number): Promise<void> => {
    const own = raws[at % raws.length] ?? raw;
    while (ended < ids.length) {
      const [job] = await take(own, queue.name, { wait: span(300), lockDuration: span(1_000) });
      if (job === undefined) continue;
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
      const n = Number(job.lease?.jobId);
      if (n % 30 === 0 && job.stalledCount === 0) {
        stalls += 1;
        continue; // The client is gone; a sweep must free its place.
      }
      const again = n % 5 === 0 && job.attempt === 1;
      // On a machine that is busy a lock may lapse before its time is used: the job comes again.
      const done = await finish(own, job, again ? fail('once') : complete()).catch(() => undefined);
      if (done && !again) ended += 1;
    }
  };
  await Promise.all(Array.from({ length: 24 }, (_, at) => slot(at)));
  expect([most, ended, stalls]).toEqual([1, ids.length, Math.floor(ids.length / 30)]);
  expect(checkBooks(await queue.read(), { accepted: ids, atRest: true })).toEqual([]);
});
