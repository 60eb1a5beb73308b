import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import { expect, it } from 'vitest';
import {
  checkBooks,
  complete,
  finish,
  PATIENCE_MS,
  type RawClient,
  type RigGateway,
  scaled,
  span,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig();
const INTERVAL_MS = 1_000;
const ROUNDS = scaled(2, 20);

const upsert = (raw: RawClient, queue: string) =>
  raw.call('scheduler', 'upsertScheduler', {
    queue,
    schedulerId: 's',
    schedule: { repeat: { $case: 'every', value: span(INTERVAL_MS) } },
    template: { name: 'run' },
  });
const slotOf = (id: string) => Number(id.split(':').at(-1));

it('T059 schedule dies: four gateways set it at one moment while a run is active, one is killed, the next run comes', async () => {
  const queue = rig.freshQueue();
  const [first] = rig.gateways;
  const alive: RigGateway[] = [first as RigGateway, await rig.another(), await rig.another()];
  const slots: number[] = [];
  await upsert(rig.raw(), queue.name);
  let doomed = await rig.another({ processes: true });
  for (let round = 0; round < ROUNDS; round += 1) {
    const raws = [...alive, doomed].map(({ address }) => rig.raw(address));
    const last = raws.at(-1) as RawClient;
    const job = await takeOne(last, queue.name);
    slots.push(slotOf(job.lease.jobId));
    const setting = raws.map((raw) => upsert(raw, queue.name));
    doomed.process?.kill('SIGKILL');
    const [settled, next] = await Promise.all([
      Promise.allSettled(setting),
      rig.another({ processes: true }),
    ]);
    doomed = next;
    expect(settled.slice(0, -1).map(({ status }) => status)).toEqual(alive.map(() => 'fulfilled'));
    // The gateway by which it was taken is gone; any other one ends the run.
    await finish(rig.raw(), job, complete());
    await eventually(
      async () => expect(checkBooks(await queue.readAtOnce())).toEqual([]),
      PATIENCE_MS,
    );
  }
  const last = await takeOne(rig.raw(), queue.name);
  slots.push(slotOf(last.lease.jobId));
  await finish(rig.raw(), last, complete());
  // No slot twice, and never two for one interval.
  const gaps = slots.slice(1).map((slot, at) => slot - (slots[at] ?? 0));
  expect(gaps.filter((gap) => gap < INTERVAL_MS)).toEqual([]);
  expect(new Set(slots).size).toBe(slots.length);
});

it('T058 duplicate iterations: ten clients of three gateways set it again and again, there is one next run', async () => {
  const queue = rig.freshQueue();
  const gateways = [...rig.gateways, await rig.another(), await rig.another()];
  const raws = Array.from({ length: 10 }, (_, at) =>
    rig.raw(gateways[at % gateways.length]?.address),
  );
  const [raw] = raws as [RawClient];
  const RUNS = scaled(4, 60);
  let over = false;
  const every = (value: number) => ({ repeat: { $case: 'every' as const, value: span(value) } });
  const setting = raws.map(async (one) => {
    while (!over) {
      await one.call('scheduler', 'upsertScheduler', {
        queue: queue.name,
        schedulerId: 's',
        schedule: every(500),
      });
      await sleep(10);
    }
  });
  const slots: number[] = [];
  const from = Date.now();
  try {
    while (slots.length < RUNS) {
      const job = await takeOne(raw, queue.name);
      slots.push(slotOf(job.lease.jobId));
      expect(checkBooks(await queue.readAtOnce())).toEqual([]);
      await finish(raw, job, complete());
    }
  } finally {
    over = true;
    await Promise.all(setting);
  }
  const gaps = slots.slice(1).map((slot, at) => slot - (slots[at] ?? 0));
  // Never two for one interval; what a busy machine misses is left out, not made up for.
  expect(gaps.filter((gap) => gap < 500)).toEqual([]);
  expect(slots.length).toBeLessThanOrEqual((Date.now() - from) / 500 + 2);
});
