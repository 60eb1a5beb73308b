import { eventually } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { PATIENCE_MS, scaled, span, take, useRig } from '../../src/index.js';

const rig = useRig({ processes: true });
/** Longer than the test: what is taken here is finished by nobody, and must not stall. */
const HOUR = { lockDuration: span(3_600_000) };

it('T077 overdue burst: a mover that is killed among thousands of due jobs loses none and doubles none', async () => {
  const queue = rig.freshQueue();
  const JOBS = scaled(30_000, 300_000);
  const due = Date.now() - 3_600_000;
  const ids = Array.from({ length: JOBS }, (_, at) => `job-${at}`);
  for (let from = 0; from < JOBS; from += 5_000) {
    const part = ids.slice(from, from + 5_000);
    await queue.seed({ jobs: Object.fromEntries(part.map((id) => [id, {}])) });
    const scores = part.flatMap((id, at) => [`${(due + from + at) * 4_096}`, id]);
    await rig.redis.client.zadd(queue.key('delayed'), ...scores);
  }
  const { client } = rig.redis;
  // What takes a ms: the steps, not what they consist of.
  await client.config('SET', 'slowlog-log-slower-than', '1000');
  await client.config('SET', 'slowlog-max-len', '20000');
  await client.call('SLOWLOG', 'RESET');
  const first = await rig.another({ processes: true });
  const left = () => client.zcard(queue.key('delayed'));
  take(rig.raw(first.address), queue.name, HOUR).catch(() => {});
  await eventually(async () => expect(await left()).toBeLessThan(JOBS), PATIENCE_MS);
  first.process?.kill('SIGKILL');
  await first.process?.exit.wait();
  const second = await rig.another({ processes: true });
  const raw = rig.raw(second.address);
  let steps = 0;
  for (let before = await left(); before > 0; steps += 1) {
    await take(raw, queue.name, HOUR);
    const now = await left();
    before = now;
    expect(steps).toBeLessThan(JOBS);
  }
  // No step holds the store for 50 ms. One in ten may on a machine that gives the server no time: never for a second.
  const log = (await client.call('SLOWLOG', 'GET', '20000')) as [
    number,
    number,
    number,
    string[],
  ][];
  const held = log.flatMap(([, , us, [command]]) => (command === 'EVALSHA' ? [us] : []));
  held.sort((a, b) => a - b);
  expect(held.length).toBeGreaterThan(JOBS / 1_000 / 2);
  expect(held[Math.floor(held.length * 0.9)]).toBeLessThan(scaled(1_000_000, 50_000));
  expect(held.at(-1)).toBeLessThan(1_000_000);
  // At one instant: a sweep may move a job in between.
  const places = client.multi();
  for (const place of ['wait', 'active']) places.lrange(queue.key(place), 0, -1);
  const moved = ((await places.exec()) ?? []).flatMap(([, ids]) => ids as string[]);
  expect(moved).toHaveLength(JOBS);
  expect(new Set(moved)).toEqual(new Set(ids));
  for (let from = 0; from < JOBS; from += 5_000) {
    const keys = ids.slice(from, from + 5_000).map((id) => queue.key(id));
    expect(await client.exists(...keys)).toBe(keys.length);
  }
});
