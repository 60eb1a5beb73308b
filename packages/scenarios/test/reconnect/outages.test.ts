import { setTimeout as sleep } from 'node:timers/promises';
import { QueueEvents } from '@echomq/sdk';
import { eventually, storeFaults } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  checkHistory,
  complete,
  type Entry,
  finish,
  History,
  noteEnds,
  noting,
  PATIENCE_MS,
  refusalOf,
  scaled,
  takeOne,
  useRig,
} from '../../src/index.js';

const JOBS = scaled(200, 2_000);
const LONG_MS = scaled(1, 10) * PATIENCE_MS;
const rig = useRig({ proxied: true, gateways: 2 });

/** Two workers, one per gateway, that note all they do. */
function crew(queue: string, history: History, ms: number) {
  return rig.gateways.map(({ address }, at) => {
    const worker = rig.worker(
      queue,
      noting(history, `w${at}`, () => sleep(ms)),
      { connection: rig.connection({ address }), concurrency: 10, lockDuration: 5_000 },
    );
    return noteEnds(history, `w${at}`, worker);
  });
}

async function goesOn(queue: string, history: History): Promise<void> {
  const { id } = await rig.queue(queue).add('x', {});
  history.note({ kind: 'accepted', job: id });
}

describe('a store that goes away under load', () => {
  it('T027 reconnect: all workers go on by themselves, adds work, each job ends once', async () => {
    const queue = rig.freshQueue();
    const history = new History();
    crew(queue.name, history, 30);
    const ids = await addMany(rig.raw(), queue.name, JOBS);
    for (const job of ids) history.note({ kind: 'accepted', job }, 0);
    await eventually(() => expect(history.count('ended')).toBeGreaterThan(20), PATIENCE_MS);
    rig.store.refuse();
    rig.store.cut();
    await sleep(scaled(700, 10_000));
    await rig.store.accept();
    const back = performance.timeOrigin + performance.now();
    const begins =
      (who: string) =>
      ({ at, ...entry }: Entry) =>
        at > back && entry.kind === 'started' && entry.run.startsWith(who);
    // Enough for both, again and again, until both have begun one.
    await eventually(async () => {
      for (let job = 0; job < 20; job += 1) await goesOn(queue.name, history);
      for (const who of ['w0', 'w1']) expect(history.entries.some(begins(who))).toBe(true);
    }, PATIENCE_MS);
    for (const who of ['w0', 'w1']) {
      const first = history.entries.find(begins(who))?.at ?? Number.POSITIVE_INFINITY;
      expect(first - back).toBeLessThan(scaled(10_000, 5_000));
    }
    const accepted = () => history.count('accepted');
    await eventually(() => expect(history.count('ended')).toBe(accepted()), LONG_MS);
    expect(checkHistory(history)).toEqual([]);
    expect(checkBooks(await queue.read(), { atRest: true })).toEqual([]);
  });

  it('T030 connection reset: workers and a subscriber of events go on through one reset after another', async () => {
    const queue = rig.freshQueue();
    const history = new History();
    const seen = new Map<string, number>();
    const events = new QueueEvents(queue.name, { connection: rig.connection() });
    onTestFinished(() => events.close());
    const gaps: unknown[] = [];
    events.on('error', () => {});
    events.on('gap', (gap) => gaps.push(gap));
    events.on('completed', ({ jobId }) => seen.set(jobId, (seen.get(jobId) ?? 0) + 1));
    await events.waitUntilReady();
    crew(queue.name, history, 5);
    const ids = await addMany(rig.raw(), queue.name, JOBS);
    for (const job of ids) history.note({ kind: 'accepted', job }, 0);
    for (let cuts = 0; cuts < scaled(8, 30); cuts += 1) {
      await sleep(scaled(80, 1_000));
      rig.store.cut();
    }
    await eventually(() => expect(history.count('ended')).toBe(ids.length), LONG_MS);
    expect(checkHistory(history)).toEqual([]);
    await eventually(() => expect(seen.size).toBe(ids.length), LONG_MS);
    expect([[...seen.values()].filter((times) => times !== 1), gaps]).toEqual([[], []]);
  });
});

describe('a wait that its store forgets', () => {
  it('T021, T029 partition during blocking wait: an idle worker begins the next job soon after the heal', async () => {
    const queue = rig.freshQueue();
    const history = new History();
    const workers = crew(queue.name, history, 0);
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    rig.store.pause();
    await sleep(scaled(1_500, 30_000));
    rig.store.resume();
    const from = performance.now();
    await eventually(() => goesOn(queue.name, history), PATIENCE_MS);
    await eventually(() => expect(history.count('ended')).toBe(1), PATIENCE_MS);
    expect(performance.now() - from).toBeLessThan(10_000);
    // Nothing of it is left: the next one comes at once, over and over.
    for (let more = 2; more < 5; more += 1) {
      await goesOn(queue.name, history);
      await eventually(() => expect(history.count('ended')).toBe(more), 5_000);
    }
    expect(checkHistory(history)).toEqual([]);
  });
});

describe('a store that refuses to write', () => {
  it('T037 silent bulk failure: bulks and flows fail as a whole with an error that may be retried', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const faults = storeFaults(rig.redis.client);
    const item = { name: 'x', data: Buffer.from('{}') };
    await add(raw, queue.name);
    const before = await queue.read();
    await faults.demote();
    onTestFinished(() => faults.promote());
    const child = { queue: queue.name, ...item };
    const calls = [
      raw.call('producer', 'addJobs', { queue: queue.name, items: [item, item] }),
      raw.call('producer', 'addFlow', { root: { queue: queue.name, ...item, children: [child] } }),
      raw.call('producer', 'addJob', { queue: queue.name, ...item }),
    ];
    for (const { status } of await Promise.all(calls.map(refusalOf))) {
      expect(status).toBe('UNAVAILABLE');
    }
    const { results } = await raw
      .call('producer', 'addJobs', { items: [{ ...child }, { ...child }], mode: 2 })
      .catch(() => ({ results: [] }));
    expect(results.filter(({ result }) => result?.$case === 'added')).toEqual([]);
    await faults.promote();
    expect(await queue.read()).toEqual(before);
    await eventually(() => add(raw, queue.name), PATIENCE_MS);
  });
});

describe('scripts that the store forgets', () => {
  it('T034 double round trip for ever: after a flush each script is sent once, and never again', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const work = async () => {
      await add(raw, queue.name);
      await finish(raw, await takeOne(raw, queue.name), complete());
    };
    await work();
    await storeFaults(rig.redis.client).flushScripts();
    await rig.redis.client.config('RESETSTAT');
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 10 }, work));
    }
    const stats = await rig.redis.client.info('commandstats');
    const calls = (name: string) =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    // What ends and is taken in one turn goes out as one script; each add is one by itself.
    expect(calls('evalsha')).toBeGreaterThan(100);
    // Add, take, finish, the sweep and what the engine does by the way: once each per gateway.
    expect(calls('eval') + calls('script\\|load')).toBeLessThanOrEqual(12);
  });

  it('T033 script cache lost: flushes under load are never seen by a caller', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const faults = storeFaults(rig.redis.client);
    let over = false;
    const flushing = (async () => {
      while (!over) await faults.flushScripts();
    })();
    const ids: string[] = [];
    const work = async () => {
      ids.push(await add(raw, queue.name));
      await finish(raw, await takeOne(raw, queue.name), complete());
    };
    try {
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(Array.from({ length: 10 }, work));
      }
    } finally {
      over = true;
      await flushing;
    }
    expect(checkBooks(await queue.read(), { accepted: ids, atRest: true })).toEqual([]);
  });
});
