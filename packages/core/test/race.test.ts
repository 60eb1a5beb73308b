import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { jobHash, useStarted } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  addJobs,
  extendLocks,
  moveStalledJobsToWait,
  moveToActive,
  moveToFinished,
  type Store,
  type StoredJob,
  TransitionRejected,
} from '../src/index.js';
import { connectRedis } from '../src/ioredis/index.js';
import { ready, type TestQueue, useStore } from './use-store.js';

const JOBS = 10_000;
const WORKERS = 8;
const LOCK_MS = 4_000;

const used = useStore();
const stores = useStarted(async () => {
  const urls = Array.from({ length: WORKERS + 1 }, () => used.redis.url);
  const connected = await Promise.all(urls.map((url) => ready(connectRedis({ url }))));
  return {
    list: connected.map(({ store }) => store),
    async [Symbol.asyncDispose]() {
      for (const { client } of connected) await client.close();
    },
  };
});

/** A run of a job, as its worker knows it. */
interface Run {
  readonly jobId: string;
  readonly token: string;
  /** Until when the lock stands at least, by the worker's own last word. */
  heldUntil: number;
  abandoned: boolean;
}

/** What all workers have seen. */
class Book {
  readonly runs = new Map<string, Run[]>();
  readonly finished = new Map<string, number>();
  readonly refused = new Map<string, number>();
  readonly violations: string[] = [];

  begin(job: StoredJob, token: string, sentAt: number): Run {
    const earlier = this.runs.get(job.id) ?? [];
    const last = earlier.at(-1);
    if (last && (job.processedOn ?? 0) < last.heldUntil) {
      this.violations.push(`${job.id} was given to ${token} while ${last.token} held it`);
    }
    const run = { jobId: job.id, token, heldUntil: sentAt + LOCK_MS, abandoned: false };
    this.runs.set(job.id, [...earlier, run]);
    return run;
  }

  end(run: Run): void {
    run.heldUntil = 0;
    this.finished.set(run.jobId, (this.finished.get(run.jobId) ?? 0) + 1);
  }

  refuse(error: unknown): void {
    if (!(error instanceof TransitionRejected)) throw error;
    this.refused.set(error.reason, (this.refused.get(error.reason) ?? 0) + 1);
  }
}

/** One loop that takes jobs until all have ended. `careless`: it gives one job in 40 up and never renews it again. */
class Worker {
  #count = 0;
  readonly held = new Set<Run>();

  constructor(
    private readonly name: string,
    private readonly careless: boolean,
    private readonly store: Store,
    private readonly shared: { readonly queue: TestQueue; readonly book: Book },
  ) {}

  async work(): Promise<void> {
    const renewing = this.#renew();
    let next = await this.#fetch();
    while (this.shared.book.finished.size < JOBS) {
      if (next === undefined) {
        await sleep(5);
        next = await this.#fetch();
      } else {
        next = await this.#run(next);
      }
    }
    await renewing;
  }

  async #fetch(): Promise<Run | undefined> {
    const sentAt = Date.now();
    const token = `${this.name}:${++this.#count}`;
    const worker = { token, lockDuration: LOCK_MS };
    const fetched = await moveToActive(this.store, this.shared.queue.keys, worker);
    return fetched.kind === 'job' ? this.#hold(fetched.job, token, sentAt) : undefined;
  }

  #hold(job: StoredJob, token: string, sentAt: number): Run {
    const run = this.shared.book.begin(job, token, sentAt);
    this.held.add(run);
    return run;
  }

  /** Runs a job and ends it, and takes the next in the same step. */
  async #run(run: Run): Promise<Run | undefined> {
    if (this.#count % 100 === 7) await sleep(20);
    else await turn();
    this.held.delete(run);
    if (this.careless && this.#count % 40 === 0) {
      run.abandoned = true;
      return this.#fetch();
    }
    return this.#finish(run);
  }

  async #finish(run: Run): Promise<Run | undefined> {
    const sentAt = Date.now();
    const nextToken = `${this.name}:${++this.#count}`;
    const { jobId, token } = run;
    const options = { token, nextToken, lockDuration: LOCK_MS };
    const end = { jobId, target: 'completed', value: '1', fetchNext: true, options } as const;
    try {
      const { next } = await moveToFinished(this.store, this.shared.queue.keys, end);
      this.shared.book.end(run);
      return next.kind === 'job' ? this.#hold(next.job, nextToken, sentAt) : undefined;
    } catch (error) {
      this.shared.book.refuse(error);
      return undefined;
    }
  }

  async #renew(): Promise<void> {
    while (this.shared.book.finished.size < JOBS) {
      const runs = [...this.held];
      const sentAt = Date.now();
      const leases = runs.map(({ jobId, token }) => ({ id: jobId, token, lockDuration: LOCK_MS }));
      const answers = await extendLocks(this.store, this.shared.queue.keys, leases);
      runs.forEach((run, at) => {
        // One that ended meanwhile answers that its lock is gone.
        if (answers[at] === 'EXTENDED' && this.held.has(run)) run.heldUntil = sentAt + LOCK_MS;
      });
      await sleep(LOCK_MS / 8);
    }
  }
}

/** The sweep without a pause, the scripts flushed each second, until all jobs have ended. */
async function disturb(store: Store, queue: TestQueue, book: Book): Promise<number> {
  const limits = { maxStalledCount: 1_000, stalledInterval: 1_000, force: true };
  let recovered = 0;
  let flushedAt = Date.now();
  while (book.finished.size < JOBS) {
    recovered += (await moveStalledJobsToWait(store, queue.keys, limits)).recovered.length;
    if (Date.now() - flushedAt > 1_000) {
      await used.redis.client.script('FLUSH');
      flushedAt = Date.now();
    }
    await sleep(3);
  }
  return recovered;
}

describe('eight workers, a sweep every few milliseconds and scripts that are flushed', () => {
  it('run each job once while its owner renews, lose none and leave none in two places', {
    timeout: 180_000,
  }, async () => {
    const queue = used.queue();
    const body = { name: 'j', data: '1', opts: '{}', timestamp: 1 };
    for (let added = 0; added < JOBS; added += 1_000)
      await addJobs(used.store, queue.keys, new Array(1_000).fill(body));
    const book = new Book();
    const workers = stores.value.list
      .slice(0, WORKERS)
      .map((store, at) => new Worker(`w${at}`, at < 2, store, { queue, book }));

    const [recovered] = await Promise.all([
      disturb(stores.value.list[WORKERS] as Store, queue, book),
      ...workers.map((worker) => worker.work()),
    ]);

    expect(book.violations).toEqual([]);
    const abandoned = [...book.runs.values()].flat().filter((run) => run.abandoned);
    expect(abandoned.length).toBeGreaterThan(10);
    expect(recovered).toBeGreaterThanOrEqual(abandoned.length);
    // Every job ended once, and only those that somebody gave up ran again.
    expect(book.finished.size).toBe(JOBS);
    expect(new Set(book.finished.values())).toEqual(new Set([1]));
    const again = [...book.runs].filter(([, runs]) => runs.length > 1).map(([id]) => id);
    expect(again.sort()).toEqual([...new Set(abandoned.map(({ jobId }) => jobId))].sort());
    expect([...book.refused.keys()]).toEqual([]);
    // Whoever gave a job up is refused when he comes back.
    for (const { jobId, token } of abandoned.slice(0, 20)) {
      const end = { jobId, target: 'completed', value: '2', fetchNext: false } as const;
      const late = moveToFinished(used.store, queue.keys, { ...end, options: { token } });
      await expect(late).rejects.toMatchObject({ reason: 'LOCK_LOST' });
    }

    const { completed, events: _, ...dump } = await queue.read();
    const ids = (completed as [string, number][]).map(([id]) => id);
    expect(new Set(ids).size).toBe(JOBS);
    for (const key of ['wait', 'active', 'delayed', 'prioritized', 'failed', 'paused'])
      expect(dump).not.toHaveProperty(key);
    expect(Object.keys(dump).filter((key) => key.endsWith(':lock'))).toEqual([]);
    const calm = dump[ids.find((id) => !again.includes(id)) as string] as Record<string, string>;
    const { processedOn = '', finishedOn = '' } = calm;
    const times = { timestamp: 1, processedOn, finishedOn };
    expect(calm).toEqual(
      jobHash({ name: 'j', data: '1', ...times, ats: 1, atm: 1, returnvalue: '1' }),
    );
    for (const id of ids) {
      const { atm, ats, stc = '0' } = dump[id] as Record<string, string>;
      expect([atm, Number(ats)]).toEqual(['1', Number(stc) + 1]);
    }
  });
});
