import type { Handler } from '@echomq/sdk';
import { eventually, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  fail,
  finish,
  History,
  LOCK_MS,
  PATIENCE_MS,
  refusalOf,
  span,
  take,
  takeOne,
  useRig,
  workerProcess,
} from '../../src/index.js';

const rig = useRig();
const LOCK = { lockDuration: span(LOCK_MS) };

describe('a client that holds a job for longer than its lease', () => {
  it('T004 lease lost -> stuck active: the job leaves active by itself, the late finish is refused', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const id = await add(raw, queue.name);
    const job = await takeOne(raw, queue.name, LOCK);
    await eventually(
      async () => expect(await queue.read()).toMatchObject({ wait: [id] }),
      PATIENCE_MS,
    );
    const late = await refusalOf(finish(raw, job, complete('late')));
    expect([late.status, late.reason]).toEqual(['FAILED_PRECONDITION', 'LOCK_LOST']);
    const state = await queue.read();
    expect(checkBooks(state, { accepted: [id] })).toEqual([]);
    expect(state).not.toHaveProperty('active');
    rig.worker(queue.name, () => 'on time');
    await eventually(
      async () => expect(await queue.read()).toMatchObject({ [id]: { returnvalue: '"on time"' } }),
      PATIENCE_MS,
    );
  });

  it('T014 finish of unknown lease: a failure that comes late has a status of its own and changes nothing', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const id = await add(raw, queue.name, { attempts: 3 });
    const job = await takeOne(raw, queue.name, LOCK);
    await eventually(
      async () => expect(await queue.read()).toMatchObject({ wait: [id] }),
      PATIENCE_MS,
    );
    const second = await takeOne(raw, queue.name);
    const before = await queue.read();
    for (const outcome of [fail('late'), complete('late')]) {
      const late = await refusalOf(finish(raw, job, outcome));
      expect([late.status, late.reason]).toEqual(['FAILED_PRECONDITION', 'LOCK_NOT_OWNED']);
    }
    expect((await queue.read())[id]).toEqual(before[id]);
    await finish(raw, second, complete());
    const gone = await refusalOf(
      finish(raw, { lease: { ...job.lease, jobId: 'none' } }, fail('x')),
    );
    expect([gone.status, gone.reason]).toEqual(['NOT_FOUND', 'JOB_NOT_FOUND']);
  });

  it('T016 endless stall loop: a run whose schedule is gone stalls as often as any other job, no more', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    await raw.call('scheduler', 'upsertScheduler', {
      queue: queue.name,
      schedulerId: 's',
      schedule: { repeat: { $case: 'every', value: span(3_600_000) } },
      template: { name: 'x' },
    });
    const first = await takeOne(raw, queue.name, LOCK);
    await raw.call('scheduler', 'removeScheduler', { queue: queue.name, schedulerId: 's' });
    const second = await takeOne(raw, queue.name, LOCK);
    expect(second.lease.jobId).toBe(first.lease.jobId);
    await eventually(
      async () =>
        expect(await queue.read()).toMatchObject({
          failed: [[first.lease.jobId, expect.any(Number)]],
        }),
      PATIENCE_MS,
    );
    expect(await take(raw, queue.name)).toEqual([]);
  });
});

describe('a worker whose event loop is blocked for longer than its lease', () => {
  /** @param secondMs how long the other worker's run takes */
  const cases: readonly [string, { readonly waits: boolean; readonly secondMs: number }][] = [
    ['its handler waits for its signal, the other has ended', { waits: true, secondMs: 0 }],
    ['its handler returns at once, the other still runs', { waits: false, secondMs: 4_000 }],
  ];
  it.each(cases)(
    'T008 lease lost mid-run: is told, its late result is refused, the other worker’s stands (%s)',
    async (_how, { waits, secondMs }) => {
      const queue = rig.freshQueue();
      // Of its own: what blocks this process must not block it.
      const { address } = await rig.another({ processes: true });
      const jobs = rig.queue(queue.name);
      const [begun, block] = [signal('the first run'), signal('the order to block')];
      const told: string[] = [];
      const handler: Handler<unknown, string> = async (_job, { signal: stop }) => {
        stop.addEventListener('abort', () => told.push((stop.reason as Error).name));
        begun.resolve();
        await block.wait(PATIENCE_MS);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * LOCK_MS);
        if (waits && !stop.aborted) {
          await new Promise((resolve) => stop.addEventListener('abort', resolve));
        }
        return 'first';
      };
      const first = rig.worker(queue.name, handler, {
        connection: rig.connection({ address }),
        lockDuration: LOCK_MS,
      });
      const seen = { completed: 0, lost: [] as unknown[] };
      first.on('completed', () => {
        seen.completed += 1;
      });
      first.on('leaseLost', (_job, error) => seen.lost.push((error as Error).name));
      const { id } = await jobs.add('x', {});
      await begun.wait(PATIENCE_MS);
      // It has one slot and the job is its only one: whatever else it is given would be another's.
      const history = new History(() => Date.now());
      const second = await workerProcess(history, {
        ...{ address, queue: queue.name, name: 'second', ms: secondMs },
      });
      block.resolve();
      await eventually(
        async () =>
          expect(await queue.read()).toMatchObject({ completed: [[id, expect.any(Number)]] }),
        PATIENCE_MS,
      );
      await eventually(() => expect(seen.lost).toEqual(['LeaseLost']), PATIENCE_MS);
      if (waits) expect(told).toEqual(['LeaseLost']);
      second.note();
      const [run] = history.runsOf(id);
      const state = await queue.read();
      expect(state[id]).toMatchObject({ returnvalue: JSON.stringify(run), ats: '2', atm: '1' });
      expect(checkBooks(state, { accepted: [id], atRest: true })).toEqual([]);
      const events = (state.events as Record<string, string>[]).map(({ event }) => event);
      const ends = events.filter((event) => event === 'completed' || event === 'failed');
      expect(ends).toEqual(['completed']);
      expect([history.runsOf(id).length, seen.completed]).toEqual([1, 0]);
      await second.stop();
    },
  );
});
