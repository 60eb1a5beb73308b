import { setTimeout as sleep } from 'node:timers/promises';
import { MetricsKind } from '@echomq/proto/messages';
import { QueueEvents, type Worker } from '@echomq/sdk';
import { eventually, http2Proxy } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  addMany,
  complete,
  fail,
  PATIENCE_MS,
  type RawClient,
  scaled,
  take,
  useRig,
} from '../../src/index.js';

const rig = useRig({ flags: ['--metrics-minutes=10'] });
const outcome = (ok: boolean) => ({ kind: ok ? complete() : fail('x', { final: true }) });

async function finishAll(raw: RawClient, queue: string, ok = (_n: number) => true): Promise<void> {
  let done = 0;
  for (;;) {
    const jobs = await take(raw, queue, { maxJobs: 100 });
    if (jobs.length === 0) return;
    const items = jobs.map(({ lease }) => {
      done += 1;
      return { ...(lease ? { lease } : {}), outcome: outcome(ok(done)) };
    });
    await raw.call('worker', 'finishJobs', { items });
  }
}

describe('those who look on', () => {
  it('T084 missed completions: a slow subscriber that loses its connection sees each end once, or a gap', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const port = Number(rig.gateways[0]?.address.split(':').at(-1));
    const proxy = await http2Proxy(port);
    onTestFinished(() => proxy.stop());
    const JOBS = scaled(2_000, 200_000);
    const connection = rig.connection({ address: `127.0.0.1:${proxy.port}` });
    const events = new QueueEvents(queue.name, {
      connection,
      types: ['completed'],
      autorun: false,
    });
    onTestFinished(() => events.close());
    events.on('error', () => {});
    const seen = new Map<string, number>();
    // Where in what was seen a gap was told.
    const gaps: number[] = [];
    let cut = false;
    let last = '';
    const reading = (async () => {
      for await (const event of events.events()) {
        if (event.event === 'gap') {
          expect(event.firstKept > event.lastSeen).toBe(true);
          gaps.push(seen.size);
          continue;
        }
        const { jobId } = event as unknown as { jobId: string };
        seen.set(jobId, (seen.get(jobId) ?? 0) + 1);
        await sleep(scaled(0, 1));
        if (seen.size > JOBS / 4 && !cut) {
          cut = true;
          for (const stream of proxy.streams) stream.reset();
        }
        if (jobId === last) return;
      }
    })();
    await eventually(() => expect(proxy.streams.length).toBeGreaterThan(0), PATIENCE_MS);
    await sleep(100);
    const ids: string[] = [];
    for (let left = JOBS; left > 0; left -= 1_000) {
      ids.push(...(await addMany(raw, queue.name, Math.min(left, 1_000))));
      if (left <= 1_000) last = ids.at(-1) ?? '';
      await finishAll(raw, queue.name);
    }
    await reading;
    expect([...seen.values()].filter((times) => times > 1)).toEqual([]);
    // They end in their order. What was not seen lies between what was seen before a gap and what was seen after it.
    const missed = new Set<number>();
    for (let before = -1, at = 0; at < ids.length; at += 1) {
      if (!seen.has(ids[at] ?? '')) continue;
      if (at !== before + 1) missed.add([...seen.keys()].indexOf(ids[at] ?? ''));
      before = at;
    }
    expect([...missed].filter((place) => !gaps.includes(place))).toEqual([]);
    if (seen.size < ids.length) expect(missed.size).toBeGreaterThan(0);
    expect(cut).toBe(true);
  });

  it('T086 metrics with manual fetch: finishes by calls count as those of a worker do', async () => {
    const raw = rig.raw();
    const [byHand, byWorker] = [rig.freshQueue(), rig.freshQueue()];
    const JOBS = scaled(200, 1_000);
    await addMany(raw, byHand.name, JOBS);
    await addMany(raw, byWorker.name, JOBS);
    await finishAll(raw, byHand.name, (n) => n % 5 !== 0);
    let runs = 0;
    rig.worker(
      byWorker.name,
      () => {
        runs += 1;
        if (runs % 5 === 0) throw new Error('x');
      },
      { concurrency: 20 },
    );
    const totals = async (queue: string) => {
      const of = async (kind: MetricsKind) =>
        (await raw.call('queue', 'getMetrics', { queue, kind })).total;
      return [await of(MetricsKind.COMPLETED), await of(MetricsKind.FAILED)];
    };
    const due = [JOBS - JOBS / 5, JOBS / 5];
    expect(await totals(byHand.name)).toEqual(due);
    await eventually(async () => expect(await totals(byWorker.name)).toEqual(due), PATIENCE_MS);
  });

  it('T089 listener throws: each is told once, work goes on, and nothing piles up', async () => {
    const queue = rig.freshQueue();
    const JOBS = scaled(300, 3_000);
    let [errors, completed] = [0, 0];
    const worker: Worker = rig.worker(queue.name, () => 1, { concurrency: 10 });
    worker.on('error', () => {
      errors += 1;
    });
    worker.on('completed', () => {
      throw new Error('from a listener');
    });
    worker.on('completed', () => {
      completed += 1;
    });
    await addMany(rig.raw(), queue.name, JOBS);
    await eventually(() => expect([completed, errors]).toEqual([JOBS, JOBS]), PATIENCE_MS);
    await sleep(100);
    expect([completed, errors, worker.running]).toEqual([JOBS, JOBS, 0]);
  });
});
