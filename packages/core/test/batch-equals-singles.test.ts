import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  addJobs,
  EchoMQError,
  type FetchingWorker,
  type FetchOutcome,
  type Finish,
  type FinishOutcome,
  type Move,
  moveBatch,
  moveToActive,
  moveToFinished,
} from '../src/index.js';
import { type MovePlan, newJob, rounds, type World, worlds } from './batch-model.js';
import { changedStore, withoutPlainMoves, withoutRareFunctions } from './changed-scripts.js';
import { NOW, type TestQueue, useStore } from './use-store.js';

const used = useStore();

interface Lease {
  readonly jobId: string;
  readonly token: string;
}

/** How moves are carried out that are all to leave the same. */
const WAYS: Readonly<
  Record<string, (queue: TestQueue, moves: Move[], now: number) => Promise<unknown[]>>
> = {
  'one by one, none of them as a plain one': (queue, moves, now) =>
    singly(queue, moves, now, changedStore(used.store, withoutPlainMoves)),
  'one by one': (queue, moves, now) => singly(queue, moves, now),
  'in a batch, none of them as a plain one': (queue, moves, now) =>
    batched(queue, moves, now, changedStore(used.store, withoutPlainMoves)),
};

it.each(Object.keys(WAYS))(
  'a batch leaves and answers what its moves do %s',
  async (way) => {
    const carryOut = WAYS[way] ?? expect.unreachable();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(worlds, rounds, async (world, plans) => {
        run++;
        const [one, all] = [used.queue(`one ${way} ${run}`), used.queue(`all ${way} ${run}`)];
        const held = await begin(one, world);
        expect(await begin(all, world)).toEqual(held);
        let tokens = 0;
        for (const [round, plan] of plans.entries()) {
          const now = NOW + round;
          const movesOf = (queue: TestQueue) =>
            plan.map((each, at) => moveOf(each, queue, held, `r${round}n${at}`));
          const other = await carryOut(one, movesOf(one), now);
          const answers = await batched(all, movesOf(all), now);
          expect(nameless(answers, all)).toEqual(nameless(other, one));
          expect(await dump(all)).toEqual(await dump(one));
          held.push(...gained(answers, plan.length, round));
          tokens += plan.length;
        }
        expect(tokens).toBeGreaterThan(0);
      }),
      { numRuns: Number(process.env.BATCH_RUNS ?? 25) },
    );
  },
  120_000,
);

it('a plain move comes to no function that most moves do without', async () => {
  const store = changedStore(used.store, withoutRareFunctions);
  const queue = used.queue();
  const jobs = ['a', 'b', 'c'].map((name) => ({ name, data: '{}', opts: '{}', timestamp: NOW }));
  await addJobs(used.store, queue.keys, jobs);
  const terms = { lockDuration: 60_000, name: 'w' };
  const end = (jobId: string, token: string, nextToken: string): Finish => ({
    ...{ jobId, target: 'completed', value: '1', fetchNext: true },
    options: { token, nextToken, ...terms },
  });
  const first = await moveToActive(store, queue.keys, { token: 't1', ...terms }, NOW);
  const second = await moveToFinished(store, queue.keys, end('1', 't1', 't2'), NOW);
  const [third, none] = await moveBatch(
    ...([
      store,
      queue.keys,
      [end('2', 't2', 't3'), { token: 't4', ...terms }],
      { now: NOW },
    ] as const),
  );
  const last = await moveToFinished(store, queue.keys, end('3', 't3', 't5'), NOW);
  const job = (id: string) => ({ kind: 'job', job: expect.objectContaining({ id }) });
  const ended = { branch: 'completed', attemptsMade: 1, retryDelayMs: 0 };
  expect([first, second, third, none, last]).toEqual([
    job('1'),
    { ...ended, next: job('2') },
    { ...ended, next: job('3') },
    { kind: 'idle' },
    { ...ended, next: { kind: 'idle' } },
  ]);
});

/** Sets a queue up: a parent first, whose children the others may be; then some are taken. */
async function begin(queue: TestQueue, { meta, jobs, taken }: World): Promise<Lease[]> {
  const { store } = used;
  await addJobs(store, queue.keys, [
    { name: 'parent', data: '{}', opts: '{}', timestamp: NOW - 10, customId: 'parent' },
  ]);
  for (const plan of jobs) {
    await addJobs(store, queue.keys, [newJob(plan, queue.keys, 'parent')]);
  }
  const held: Lease[] = [];
  for (let at = 0; at < taken; at++) {
    const token = `t${at}`;
    const taken = await moveToActive(store, queue.keys, { token, lockDuration: 60_000 }, NOW - 5);
    if (taken.kind === 'job') held.push({ jobId: taken.job.id, token });
  }
  if (Object.keys(meta).length > 0) await queue.seed({ meta });
  return held;
}

function moveOf(plan: MovePlan, queue: TestQueue, held: readonly Lease[], token: string): Move {
  const terms = { lockDuration: 60_000, ...plan.terms };
  const lease = held.length > 0 ? held[plan.held % held.length] : undefined;
  if (plan.kind === 'fetch' || !lease) return { token, ...terms } as FetchingWorker;
  const receipt = plan.receipt !== undefined && {
    receipt: {
      key: queue.keys.sessionReceipts(plan.receipt.how === 'slot' ? 'near' : 's'),
      field: String(plan.receipt.field),
      digest: `${lease.jobId} ${plan.kind}`,
      ttl: 60_000,
      ...(plan.receipt.how === 'fresh' && { fresh: true }),
      ...(plan.receipt.how === 'slot' && { slot: true }),
    },
  };
  const failed = plan.kind === 'fail';
  return {
    jobId: plan.lease === 'unknown job' ? 'nobody' : lease.jobId,
    target: failed ? 'failed' : 'completed',
    value: failed ? 'boom' : '{"ok":true}',
    fetchNext: plan.next,
    options: {
      token: plan.lease === 'foreign' ? 'somebody' : lease.token,
      nextToken: token,
      ...(failed ? { retry: { mode: 'DEFAULT', rand: 0.5 } } : {}),
      ...plan.more,
      ...terms,
      ...receipt,
    },
  } as Finish;
}

async function batched(
  queue: TestQueue,
  moves: readonly Move[],
  now: number,
  store = used.store,
): Promise<unknown[]> {
  return (await moveBatch(store, queue.keys, moves, { now })).map(told);
}

async function singly(
  queue: TestQueue,
  moves: readonly Move[],
  now: number,
  store = used.store,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const move of moves) {
    const carried =
      'jobId' in move
        ? moveToFinished(store, queue.keys, move, now)
        : moveToActive(store, queue.keys, move, now);
    answers.push(told(await carried.catch((error: unknown) => error)));
  }
  return answers;
}

/** An answer without what names the script. */
function told(answer: unknown): unknown {
  return answer instanceof EchoMQError ? answer.reason : answer;
}

/** The leases that the moves of a round have brought. */
function gained(answers: readonly unknown[], count: number, round: number): Lease[] {
  const leases: Lease[] = [];
  for (let at = 0; at < count; at++) {
    const answer = answers[at] as FinishOutcome | FetchOutcome | string;
    if (typeof answer === 'string') continue;
    const fetched = 'next' in answer ? answer.next : answer;
    if (fetched.kind !== 'job') continue;
    leases.push({ jobId: fetched.job.id, token: fetched.token || `r${round}n${at}` });
  }
  return leases;
}

/** The whole queue, its name aside. */
async function dump(queue: TestQueue): Promise<unknown> {
  return nameless([await queue.read(), Object.keys(await queue.readTtls()).sort()], queue);
}

/** A value with its bytes as text and without the queue's name. */
function nameless(value: unknown, { name }: TestQueue): unknown {
  const text = JSON.stringify(value, (key, each) => {
    // What is left of a limit runs by Redis's own clock.
    if (key === 'ttlMs') return 'some';
    return each?.type === 'Buffer' ? Buffer.from(each.data).toString() : each;
  });
  return JSON.parse(text.replaceAll(name, 'Q'));
}
