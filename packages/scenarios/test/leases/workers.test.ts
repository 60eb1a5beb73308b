import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import {
  checkBooks,
  checkHistory,
  History,
  LOCK_MS,
  noteEnds,
  noting,
  PATIENCE_MS,
  SWEEP_MS,
  scaled,
  useRig,
} from '../../src/index.js';

const rig = useRig({ proxied: true, sweepMs: 50 });

it('T009 drain stops renewals: a worker that closes keeps its lease until its handler ends', async () => {
  const queue = rig.freshQueue();
  const jobs = rig.queue(queue.name);
  const begun = signal('the handler');
  let elsewhere = 0;
  const handler = async () => {
    begun.resolve();
    await sleep(4 * LOCK_MS);
    return 'first';
  };
  const first = rig.worker(queue.name, handler, { lockDuration: LOCK_MS });
  const { id } = await jobs.add('x', {});
  await begun.wait(PATIENCE_MS);
  rig.worker(queue.name, () => {
    elsewhere += 1;
    return 'second';
  });
  await first.close();
  const state = await queue.read();
  expect(state[id]).toMatchObject({ returnvalue: '"first"', ats: '1', atm: '1' });
  expect(checkBooks(state, { accepted: [id], atRest: true })).toEqual([]);
  expect(elsewhere).toBe(0);
});

it('T018 finish error swallowed: a store that is cut off while a hundred jobs end gets each end once', async () => {
  const queue = rig.freshQueue();
  const jobs = rig.queue(queue.name);
  const history = new History();
  const go = signal('the cut');
  let ready = 0;
  // Locks that outlive the cut, as 30 s outlive 3 s.
  const worker = rig.worker(
    queue.name,
    noting(history, 'w', async () => {
      ready += 1;
      await go.wait(PATIENCE_MS);
      return 'kept';
    }),
    { concurrency: 100, lockDuration: scaled(10_000, 30_000) },
  );
  noteEnds(history, 'w', worker);
  const added = await jobs.addBulk(Array.from({ length: 100 }, () => ({ name: 'x', data: {} })));
  const ids = added.map(({ id }) => id);
  for (const job of ids) history.note({ kind: 'accepted', job }, 0);
  await eventually(() => expect(ready).toBe(100), PATIENCE_MS);
  rig.store.refuse();
  go.resolve();
  rig.store.cut();
  await sleep(scaled(600, 3_000));
  await rig.store.accept();
  await eventually(() => expect(history.count('ended')).toBe(100), PATIENCE_MS);
  expect(checkHistory(history)).toEqual([]);
  const state = await queue.read();
  expect(checkBooks(state, { accepted: ids, atRest: true })).toEqual([]);
  const stored = ids.map((id) => state[id] as Record<string, string>);
  expect(stored.filter(({ ats, returnvalue }) => ats !== '1' || returnvalue !== '"kept"')).toEqual(
    [],
  );
});

it('T019 recovery vs live owner: workers that come and go never cost another its job', async () => {
  const queue = rig.freshQueue();
  const jobs = rig.queue(queue.name);
  const history = new History();
  const JOBS = scaled(200, 1_000);
  const bulk = Array.from({ length: JOBS }, () => ({ name: 'x', data: {} }));
  const ids = (await jobs.addBulk(bulk)).map(({ id }) => id);
  for (const job of ids) history.note({ kind: 'accepted', job }, 0);
  let workers = 0;
  const start = () => {
    workers += 1;
    const name = `w${workers}`;
    const worker = rig.worker(
      queue.name,
      noting(history, name, () => sleep(scaled(150, 600))),
      {
        concurrency: 4,
        connection: jobs.connection,
      },
    );
    return noteEnds(history, name, worker);
  };
  const crew = Array.from({ length: 4 }, start);
  while (history.count('ended') < JOBS) {
    await sleep(SWEEP_MS);
    crew.push(start());
    await crew.shift()?.close();
  }
  await Promise.all(crew.map((worker) => worker.close()));
  expect(workers).toBeGreaterThan(6);
  expect(checkHistory(history)).toEqual([]);
  const state = await queue.read();
  expect(checkBooks(state, { accepted: ids, atRest: true })).toEqual([]);
  // Given back where a worker left before it began; never by a sweep.
  expect(ids.filter((id) => (state[id] as Record<string, string>).stc !== undefined)).toEqual([]);
});
