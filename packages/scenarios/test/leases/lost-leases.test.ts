import { eventually } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  fail,
  finish,
  LOCK_MS,
  PATIENCE_MS,
  refusalOf,
  span,
  take,
  takeOne,
  useRig,
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
