import { eventually } from '@echomq/testkit';
import { expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  finish,
  LOCK_MS,
  PATIENCE_MS,
  span,
  take,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig({ flags: ['--max-stalled-count=0'] });

it('T121 key slot leak: a worker that dies in the last attempt frees the slot and the deduplication id', async () => {
  const queue = rig.freshQueue();
  const raw = rig.raw();
  await raw.call('queue', 'setConcurrency', { queue: queue.name, max: 1 });
  const unique = { deduplication: { id: 'one' } };
  const first = await add(raw, queue.name, { ...unique, attempts: 1 });
  const next = await add(raw, queue.name, {}, { next: true });
  const dead = rig.raw();
  await takeOne(dead, queue.name, { lockDuration: span(LOCK_MS) });
  expect(await take(raw, queue.name)).toEqual([]);
  dead.close();
  // Nobody adds anything; the slot alone must bring the next job to who waits.
  const job = await takeOne(raw, queue.name, { wait: span(PATIENCE_MS) });
  expect(job.lease.jobId).toBe(next);
  expect(await queue.read()).toMatchObject({ failed: [[first, expect.any(Number)]] });
  const again = await add(raw, queue.name, unique);
  expect(again).not.toBe(first);
  await finish(raw, job, complete());
  await finish(raw, await takeOne(raw, queue.name), complete());
  await eventually(async () => {
    const accepted = [first, next, again];
    expect(checkBooks(await queue.read(), { accepted, atRest: true })).toEqual([]);
  });
  expect(Object.keys(await queue.read()).filter((key) => key.startsWith('de:'))).toEqual([]);
});
