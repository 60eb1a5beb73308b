import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FetchReceipt,
  type FinishOutcome,
  type HeldJob,
  moveJobFromActiveToWait,
  moveToActive,
  moveToFinished,
  type Receipt,
  replayFetch,
  TransitionRejected,
} from '../src/index.js';
import { eventLines, META, type TestQueue, useStore } from './use-store.js';

const used = useStore();
const LOCK = 60_000;
let tokens = 0;
const newToken = () => `token-${++tokens}`;

/** A request as its sender sees it: sent so often, at once, to servers of which each may then think that it was lost. */
interface Sending {
  readonly copies: number;
  /** Servers that give the job back which they believe that nobody got. */
  readonly givenBack: number;
}

/** Every reply to a request but one is lost; the sender goes on with that one. */
async function send<T>(copies: number, call: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: copies }, call));
}

/** What a server does that lost the reply: it gives the job back, unless it was given to somebody meanwhile. */
async function giveBack(queue: TestQueue, held: HeldJob, receipt: Receipt | FetchReceipt) {
  const { key, field } = receipt;
  const lease = { jobId: held.job.id, token: held.token };
  const unlessReplayed = { key, field, replays: 0 };
  await moveJobFromActiveToWait(used.store, queue.keys, { ...lease, unlessReplayed }).catch(
    (error) => {
      if (!(error instanceof TransitionRejected)) throw error;
    },
  );
}

class Worker {
  #requests = 0;
  /** Ends per job, as the worker was told. */
  readonly told = new Map<string, number>();

  constructor(
    readonly queue: TestQueue,
    readonly name: string,
  ) {}

  async fetch({ copies, givenBack }: Sending): Promise<HeldJob | undefined> {
    const key = this.queue.keys.requestReceipts(`${this.name}-${++this.#requests}`);
    const body = { key, field: 'fetch', digest: 'd', ttl: LOCK };
    const again = async () => {
      const replay = { receipt: body, lockDuration: LOCK };
      return (await replayFetch(used.store, this.queue.keys, replay))?.jobs ?? [];
    };
    const once = async () => {
      const receipt = { ...body, call: newToken(), index: 0 };
      const worker = { token: newToken(), lockDuration: LOCK, receipt };
      const found = await moveToActive(used.store, this.queue.keys, worker);
      if (found.kind === 'job') return [{ job: found.job, token: worker.token }];
      return found.kind === 'replay' ? again() : [];
    };
    const answers = await send(copies, once);
    const jobs = answers.flat();
    expect(new Set(jobs.map(({ token }) => token)).size).toBeLessThanOrEqual(1);
    const [first] = jobs;
    if (!first) return undefined;
    await Promise.all(
      Array.from({ length: givenBack }, () => giveBack(this.queue, first, { ...body })),
    );
    // The answer that arrives is that of the last call.
    return (await again())[0];
  }

  async finish(held: HeldJob, { copies, givenBack }: Sending): Promise<HeldJob | undefined> {
    const receipt = {
      key: this.queue.keys.sessionReceipts(this.name),
      field: `${++this.#requests}`,
      digest: 'd',
      ttl: LOCK,
    };
    const once = () => {
      const locks = { token: held.token, nextToken: newToken(), lockDuration: LOCK };
      const options = { ...locks, maxMetricsSize: 10, receipt };
      const end = { jobId: held.job.id, target: 'completed' as const, value: '1' };
      return moveToFinished(used.store, this.queue.keys, { ...end, fetchNext: true, options });
    };
    const answers = await send(copies, once);
    this.told.set(held.job.id, (this.told.get(held.job.id) ?? 0) + 1);
    // Each has the same answer, the next job and its token included; one was the first.
    const plain = ({ next: _, replays: __, ...answer }: FinishOutcome) => answer;
    expect(answers.map(plain)).toEqual(answers.map(() => plain(answers[0] as FinishOutcome)));
    expect(answers.filter(({ replays }) => replays === undefined)).toHaveLength(1);
    const first = answers.find(({ replays }) => replays === undefined)?.next;
    const ids = answers.map(({ next }) => (next.kind === 'job' ? next.job.id : undefined));
    expect(new Set(ids).size).toBe(1);
    if (first?.kind !== 'job') return undefined;
    const [token = newToken()] = answers.flatMap(({ next }) =>
      next.kind === 'job' && next.token ? [next.token] : [],
    );
    const next = { job: first.job, token };
    if (copies > 1) {
      await Promise.all(
        Array.from({ length: givenBack }, () => giveBack(this.queue, next, receipt)),
      );
    }
    const { next: last } = await once();
    return last.kind === 'job' ? { job: last.job, token: last.token ?? '' } : undefined;
  }
}

describe('requests whose replies are lost and that come again, many at once', () => {
  const sending = fc.record({
    copies: fc.integer({ min: 1, max: 3 }),
    givenBack: fc.integer({ min: 0, max: 2 }),
  });

  it('finish each job once, and have one answer each', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.infiniteStream(sending),
        async (count, sendings) => {
          const queue = used.queue();
          const ids = Array.from({ length: count }, (_, at) => `job-${at}`);
          const jobs = Object.fromEntries(ids.map((id) => [id, {}]));
          await queue.seed({ meta: META, wait: [...ids].reverse(), jobs });
          const next = () => sendings.next().value as Sending;
          const workers = ['a', 'b', 'c'].map((name) => new Worker(queue, name));
          await Promise.all(
            workers.map(async (worker) => {
              let held: HeldJob | undefined;
              for (let empty = 0; empty < 3; ) {
                held = held ? await worker.finish(held, next()) : await worker.fetch(next());
                empty = held ? 0 : empty + 1;
              }
            }),
          );
          const dump = await queue.read();
          const told = workers.flatMap((worker) => [...worker.told]);
          expect(told.sort()).toEqual(ids.map((id): [string, number] => [id, 1]).sort());
          const completed = dump.completed as [string, number][];
          expect(completed.map(([id]) => id).sort()).toEqual([...ids].sort());
          expect(dump.wait ?? dump.active ?? dump.failed).toBeUndefined();
          expect(dump['metrics:completed']).toMatchObject({ count: `${count}` });
          for (const id of ids) expect(dump[id]).toMatchObject({ atm: '1' });
          const ends = eventLines(dump).filter((line) => line.startsWith('event=completed'));
          expect(ends).toHaveLength(count);
        },
      ),
      { numRuns: 60 },
    );
  });
});
