import { describe, expect, it } from 'vitest';
import {
  add,
  complete,
  fail,
  finish,
  PATIENCE_MS,
  type RawClient,
  span,
  take,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig();

/** What one slot runs, one after the other, until nothing is ready. */
async function runAll(raw: RawClient, queue: string): Promise<string[]> {
  const order: string[] = [];
  for (;;) {
    const [job] = await take(raw, queue);
    if (job === undefined) return order;
    order.push(job.lease?.jobId ?? '');
    await finish(raw, job, complete());
  }
}

/** The same numbers from run to run. */
function dice(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('the order of jobs', () => {
  it('T067 priority vs none: none first, then the lowest number, each in the order of its adds', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const roll = dice(67);
    const classes = [undefined, 0, 1, 5, 10];
    const added: { readonly id: string; readonly priority: number }[] = [];
    for (let at = 0; at < 80; at += 1) {
      const priority = classes[roll(classes.length)];
      const id = await add(raw, queue.name, priority === undefined ? {} : { priority });
      added.push({ id, priority: priority ?? 0 });
    }
    const due = [...added].sort((a, b) => a.priority - b.priority).map(({ id }) => id);
    expect(await runAll(raw, queue.name)).toEqual(due);
  });

  it('T068 delay loses order options: priority, arrival and LIFO hold for jobs that become due at one instant', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const due = { $case: 'runAt' as const, value: new Date(Date.now() + 1_500) };
    const options = [
      { jobId: 'third', priority: 5 },
      { jobId: 'plain-1' },
      { jobId: 'second', priority: 1 },
      { jobId: 'plain-2' },
      { jobId: 'lifo-1', lifo: true },
      { jobId: 'lifo-2', lifo: true },
      { jobId: 'fourth', priority: 5, lifo: true },
    ];
    const items = options.map((one) => ({ name: 'x', options: { ...one, due } }));
    await raw.call('producer', 'addJobs', { queue: queue.name, items });
    const job = await takeOne(raw, queue.name, { wait: span(PATIENCE_MS) });
    // All are due now: what was taken first says how they were put.
    const rest = await runAll(raw, queue.name);
    await finish(raw, job, complete());
    const plain = ['plain-1', 'plain-2'];
    expect([job.lease.jobId, ...rest]).toEqual([
      ...['lifo-2', 'lifo-1', ...plain],
      ...['second', 'third', 'fourth'],
    ]);
  });
});

describe('attempts', () => {
  it('T070 attempt counting: rate limits and delays do not count, failures do', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const id = await add(raw, queue.name, { attempts: 3 });
    const attempts: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const held = await takeOne(raw, queue.name);
      attempts.push(held.attempt);
      const kind = { $case: 'rateLimited', value: { duration: span(5) } } as const;
      await finish(raw, held, kind);
      const moved = await takeOne(raw, queue.name);
      attempts.push(moved.attempt);
      const due = { $case: 'delay', value: span(5) } as const;
      await finish(raw, moved, { $case: 'delay', value: { due, skipAttempt: true } });
    }
    expect(new Set(attempts)).toEqual(new Set([1]));
    for (let failures = 1; failures <= 3; failures += 1) {
      const job = await takeOne(raw, queue.name);
      expect(job.attempt).toBe(failures);
      const { result } = await finish(raw, job, fail(`failure ${failures}`));
      expect(result?.attemptsMade).toBe(failures);
    }
    expect(await take(raw, queue.name)).toEqual([]);
    expect(await queue.read()).toMatchObject({
      failed: [[id, expect.any(Number)]],
      [id]: { atm: '3', ats: '13', failedReason: 'failure 3' },
    });
  });

  it.each([true, false])(
    'T071 attempts in finish-and-fetch path: each job runs three times (fetched with the finish: %s)',
    async (together) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const JOBS = 40;
      const items = Array.from({ length: JOBS }, () => ({ name: 'x', options: { attempts: 3 } }));
      await raw.call('producer', 'addJobs', { queue: queue.name, items });
      const runs = new Map<string, number[]>();
      let job: Awaited<ReturnType<typeof take>>[number] | undefined = await takeOne(
        raw,
        queue.name,
      );
      while (job) {
        const id = job.lease?.jobId ?? '';
        runs.set(id, [...(runs.get(id) ?? []), job.attempt]);
        const next = { fetchNext: { maxJobs: 1, lockDuration: span(30_000) } };
        const done: Awaited<ReturnType<typeof finish>> = await finish(
          raw,
          job,
          fail('always'),
          together ? next : {},
        );
        job = together ? done.next[0] : (await take(raw, queue.name))[0];
      }
      expect([...runs.values()]).toEqual(Array.from({ length: JOBS }, () => [1, 2, 3]));
      const state = await queue.read();
      expect(state.failed).toHaveLength(JOBS);
      const stored = [...runs.keys()].map((id) => state[id] as Record<string, string>);
      expect(stored.filter(({ atm, ats }) => atm !== '3' || ats !== '3')).toEqual([]);
    },
  );
});
