import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  complete,
  type Ending,
  fail,
  finish,
  idsIn,
  PATIENCE_MS,
  type RawClient,
  span,
  take,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig({ flags: ['--metrics-minutes=10'] });
const keep = (rule: { count?: number; age?: number }) => ({
  rule: {
    $case: 'keep' as const,
    value: {
      ...(rule.count === undefined ? {} : { count: rule.count }),
      ...(rule.age === undefined ? {} : { age: span(rule.age) }),
    },
  },
});

/** Adds jobs and ends each at once. */
async function run(
  raw: RawClient,
  queue: string,
  { count, options, end }: { count: number; options?: object; end: Ending },
): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    ids.push(await add(raw, queue, options ?? {}));
    await finish(raw, await takeOne(raw, queue), end);
  }
  return ids;
}

describe('how long finished jobs are kept', () => {
  it('T079 pruning tied to outcome: old failures go by their age while only successes follow, and old successes while only failures do', async () => {
    const raw = rig.raw();
    const aged = { removeOnFail: keep({ age: 1_000 }), removeOnComplete: keep({ age: 1_000 }) };
    const hour = {
      removeOnFail: keep({ age: 3_600_000 }),
      removeOnComplete: keep({ age: 3_600_000 }),
    };
    const ends = { failed: fail('f', { final: true }), completed: complete() };
    const endOf = async (end: 'failed' | 'completed') => {
      const queue = rig.freshQueue();
      const other = end === 'failed' ? ends.completed : ends.failed;
      const old = await run(raw, queue.name, { count: 3, options: aged, end: ends[end] });
      // Each by its own rule: what is kept for ever or for an hour stays.
      const stay = [
        ...(await run(raw, queue.name, { count: 1, end: ends[end] })),
        ...(await run(raw, queue.name, { count: 1, options: hour, end: ends[end] })),
      ];
      await run(raw, queue.name, { count: 2, end: other });
      const left = async () => expect(idsIn(await queue.read(), end)).toEqual(stay);
      await eventually(left, PATIENCE_MS);
      const state = await queue.read();
      expect(old.filter((id) => id in state)).toEqual([]);
    };
    await Promise.all([endOf('failed'), endOf('completed')]);
  });

  it('T080 pruning by foreign option: a job’s rule is for the queue’s jobs of that end, as documented', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const hour = { removeOnComplete: keep({ age: 3_600_000 }) };
    const second = { removeOnComplete: keep({ age: 1_000 }) };
    const [a] = await run(raw, queue.name, { count: 1, options: hour, end: complete() });
    await sleep(1_200);
    const [b] = await run(raw, queue.name, { count: 1, options: second, end: complete() });
    // The rule of the job that ends is applied to all of its set (docs/migration.md): A is gone, B is there.
    expect(idsIn(await queue.read(), 'completed')).toEqual([b]);
    expect(await queue.read()).not.toHaveProperty([a ?? '']);
    // A rule of one end never touches the other end's jobs.
    const [f] = await run(raw, queue.name, { count: 1, end: fail('f', { final: true }) });
    await run(raw, queue.name, {
      count: 1,
      options: { removeOnComplete: keep({ count: 1 }) },
      end: complete(),
    });
    expect(idsIn(await queue.read(), 'failed')).toEqual([f]);
  });

  it.each([1, 5])(
    'T091 silent cap: of %i to keep and one more exactly so many are kept, and the count of failures tells of all',
    async (cap) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const options = { removeOnFail: keep({ count: cap }) };
      const ids: string[] = [];
      for (const count of [cap - 1, 1, 1]) {
        ids.push(
          ...(await run(raw, queue.name, { count, options, end: fail('x', { final: true }) })),
        );
        const kept = idsIn(await queue.read(), 'failed');
        expect([...kept].sort()).toEqual(ids.slice(-cap).sort());
      }
      const { total } = await raw.call('queue', 'getMetrics', { queue: queue.name, kind: 2 });
      expect(total).toBe(cap + 1);
    },
  );
});

it('T087 stack traces: of fifty failures with 20 KB of text each a bounded part is kept', async () => {
  const queue = rig.freshQueue();
  const raw = rig.raw();
  const id = await add(raw, queue.name, { attempts: 50 });
  const text = 'ä'.repeat(10_240);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const value = { message: text, stack: [text, text], retry: 1 };
    await finish(raw, await takeOne(raw, queue.name), { $case: 'fail', value } as never);
  }
  expect(await take(raw, queue.name)).toEqual([]);
  const job = (await queue.read())[id] as Record<string, string>;
  // The documented limits: a reason of 4 KiB, ten stacks of 8 KiB.
  expect(Buffer.byteLength(job.failedReason ?? '')).toBeLessThanOrEqual(4_096);
  const stacks = JSON.parse(job.stacktrace ?? '[]') as string[];
  expect(stacks.length).toBeLessThanOrEqual(10);
  expect(Math.max(...stacks.map((stack) => Buffer.byteLength(stack)))).toBeLessThanOrEqual(8_192);
  expect(await rig.redis.client.memory('USAGE', queue.key(id))).toBeLessThan(300_000);
});
