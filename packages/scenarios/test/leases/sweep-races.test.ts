import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  checkHistory,
  complete,
  finish,
  History,
  noteEnds,
  noting,
  PATIENCE_MS,
  scaled,
  take,
  takeOne,
  useRig,
  useSweeper,
} from '../../src/index.js';

const rig = useRig({ sweepMs: 'never' });
const sweeper = useSweeper(() => rig.redis.url);
const REMOVED = { removeOnComplete: { rule: { $case: 'remove', value: true } } } as const;

describe('sweeps that are forced at the worst moment', () => {
  it('T001 sweep vs activation: 50 workers under back-to-back sweeps run each job once, none stalls', async () => {
    const queue = rig.freshQueue();
    const history = new History();
    const connections = Array.from({ length: 5 }, () => rig.connection());
    const stop = sweeper.endlessly(queue.name);
    for (let at = 0; at < 50; at += 1) {
      const name = `w${at}`;
      const connection = connections[at % connections.length];
      const worker = rig.worker(
        queue.name,
        noting(history, name, () => sleep(1)),
        { ...(connection ? { connection } : {}) },
      );
      noteEnds(history, name, worker);
    }
    const ids = await addMany(rig.raw(), queue.name, scaled(500, 5_000));
    for (const job of ids) history.note({ kind: 'accepted', job }, 0);
    await eventually(
      () => expect(history.count('ended')).toBe(ids.length),
      scaled(1, 10) * PATIENCE_MS,
    );
    expect(await stop()).toBe(0);
    expect(checkHistory(history)).toEqual([]);
    const state = await queue.read();
    expect(checkBooks(state, { accepted: ids, atRest: false })).toEqual([]);
    expect(ids.filter((id) => (state[id] as Record<string, string>).stc !== undefined)).toEqual([]);
  });

  it('T002 finish vs stalled sweep: jobs that are removed as they end never come back, thousands of times', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const seen = new Map<string, number>();
    const JOBS = scaled(1_000, 10_000);
    const workOn = async (): Promise<void> => {
      for (;;) {
        const [job] = await take(raw, queue.name);
        if (job === undefined) return;
        const id = job.lease?.jobId ?? '';
        seen.set(id, (seen.get(id) ?? 0) + 1);
        expect(JSON.parse(job.data.toString())).toEqual({ n: expect.any(Number) });
        // A sweep before it, one beside it, one after it.
        await Promise.all([
          sweeper.sweep(queue.name),
          finish(raw, job, complete()),
          sweeper.sweep(queue.name),
        ]);
      }
    };
    const items = Array.from({ length: JOBS }, (_, n) => ({
      name: 'x',
      data: Buffer.from(JSON.stringify({ n })),
      options: REMOVED,
    }));
    for (let from = 0; from < JOBS; from += 1_000) {
      const part = items.slice(from, from + 1_000);
      await raw.call('producer', 'addJobs', { queue: queue.name, items: part });
    }
    await Promise.all(Array.from({ length: 10 }, workOn));
    expect([seen.size, Math.max(...seen.values())]).toEqual([JOBS, 1]);
    await sweeper.sweep(queue.name);
    const { events, id, meta, marker, 'stalled-check': _, ...left } = await queue.read();
    expect(left).toEqual({});
    expect([id, typeof meta]).toEqual([`${JOBS}`, 'object']);
  });

  it('T003 finish vs stalled sweep: a run that bears the id of one that was marked is untouched', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const options = { jobId: 'same', ...REMOVED };
    await add(raw, queue.name, options, { n: 1 });
    const first = await takeOne(raw, queue.name);
    await sweeper.sweep(queue.name);
    expect(await queue.read()).toMatchObject({ stalled: ['same'] });
    await finish(raw, first, complete());
    await add(raw, queue.name, options, { n: 2 });
    const second = await takeOne(raw, queue.name);
    expect(await sweeper.sweep(queue.name)).toMatchObject({ recovered: [], failed: [] });
    const state = await queue.read();
    expect(state).toMatchObject({ active: ['same'], 'same:lock': second.lease.leaseToken });
    expect(state.same).toMatchObject({ data: '{"n":2}', ats: '1' });
    expect(state.same).not.toHaveProperty('stc');
    await finish(raw, second, complete());
    expect(await queue.read()).not.toHaveProperty('same');
  });

  it('T010 rescue overwrites finish: what ends between the two looks of a sweep stays as it ended', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const id = await add(raw, queue.name);
    const job = await takeOne(raw, queue.name);
    // It is seen active, and its lock is gone: the next look would give it back.
    await sweeper.sweep(queue.name);
    await finish(raw, job, complete('kept'));
    const before = await queue.read();
    expect(await sweeper.sweep(queue.name)).toMatchObject({ recovered: [], failed: [] });
    const { stalled: _s, 'stalled-check': _c, ...after } = await queue.read();
    const { stalled: _t, 'stalled-check': _d, ...same } = before;
    expect(after).toEqual(same);
    expect(after[id]).toMatchObject({ returnvalue: '"kept"', atm: '1' });
  });
});

describe('jobs whose keys are taken from under them', () => {
  it('T011 active without lease: a job whose lock is deleted is back within two sweeps', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const id = await add(raw, queue.name);
    await takeOne(raw, queue.name);
    await rig.redis.client.del(queue.key(`${id}:lock`));
    await sweeper.sweep(queue.name);
    expect(checkBooks(await queue.read(), { beforeSweeps: true })).toEqual([]);
    expect(await sweeper.sweep(queue.name)).toMatchObject({ recovered: [id] });
    expect(checkBooks(await queue.read(), { accepted: [id] })).toEqual([]);
    const again = await takeOne(raw, queue.name);
    expect(again).toMatchObject({ stalledCount: 1, attempt: 1 });
    await finish(raw, again, complete());
    // The second time is one too many: it is failed by the same policy.
    const lost = await add(raw, queue.name);
    for (let stall = 0; stall < 2; stall += 1) {
      await takeOne(raw, queue.name);
      await rig.redis.client.del(queue.key(`${lost}:lock`));
      await sweeper.sweep(queue.name);
      await sweeper.sweep(queue.name);
    }
    expect(checkBooks(await queue.read(), { accepted: [id, lost], atRest: true })).toEqual([]);
  });

  it('T012 active without data: the id is dropped once and counted, the others are handled', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const ids = await addMany(raw, queue.name, 3);
    for (const _ of ids) await takeOne(raw, queue.name);
    for (const id of ids) await rig.redis.client.del(queue.key(`${id}:lock`));
    await rig.redis.client.del(queue.key(ids[1] ?? ''));
    await sweeper.sweep(queue.name);
    const { recovered, failed } = await sweeper.sweep(queue.name);
    expect([[...recovered].sort(), failed]).toEqual([[ids[0], ids[2]], []]);
    await sweeper.sweep(queue.name);
    const state = await queue.read();
    expect(state['meta:counters:1']).toEqual({ withoutHash: '1' });
    expect(checkBooks(state, { accepted: ids, removed: [ids[1] ?? ''] })).toEqual([]);
  });
});
