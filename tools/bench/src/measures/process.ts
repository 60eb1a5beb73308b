import type { Opened, RunningWorker } from '../contender.js';
import { type Bench, type Figures, insist, payloads } from '../measure.js';
import { perJob, type Spent, span } from '../run/span.js';
import { fill } from './fill.js';
import { seedOlderActive } from './older-active.js';

/** How long the last commits are waited for, ms, and how often they are looked for. */
const SETTLE_MS = 30_000;
const LOOK_MS = 2;

/**
 * Jobs that wait already are worked off by a no-op handler. Measured from the end of the warm-up (from the start of the
 * worker without one) to the moment at which the last finish stands in Redis, not to the last handler.
 */
export async function measureProcess(bench: Bench): Promise<Figures> {
  const { params, redis, place } = bench;
  const { jobs, warmUp = 0, concurrency = 1, remove = false, backlog = 0 } = params;
  const opened = await bench.open();
  await fill(opened, payloads(params));
  if (params.olderActive) await seedOlderActive(redis.client, place.queue, params.olderActive);
  const seen = new Uint8Array(warmUp + jobs + backlog);
  let done = 0;
  let doubles = 0;
  let end: (() => Promise<Spent>) | undefined;
  let running: RunningWorker | undefined;
  const begin = async () => {
    end = await span(redis, { gateway: place.gatewayPid ?? 0, worker: running?.pid });
  };
  if (warmUp === 0) await begin();
  let began: Promise<void> | undefined;
  const worked = new Promise<void>((resolve) => {
    const handler = ({ n }: { readonly n: number }): void => {
      doubles += seen[n] ?? 0;
      seen[n] = 1;
      done += 1;
      if (done === warmUp) began = begin();
      if (done === warmUp + jobs) resolve();
    };
    void opened.work({ concurrency, remove, handler }).then((worker) => {
      running = worker;
    });
  });
  await worked;
  await began;
  if (backlog === 0) await settled(opened, params.olderActive ?? 0);
  const spent = await end?.();
  await running?.close();
  if (spent === undefined) throw new Error('the run ended before it began to measure');
  const books = await opened.books();
  await opened.close();
  insist(doubles === 0, `${doubles} jobs ran twice`);
  insist(books.failed === 0, `${books.failed} jobs failed`);
  insist(books.active === (params.olderActive ?? 0), `${books.active} jobs are still active`);
  const finished = warmUp + jobs + backlog - books.waiting;
  if (!remove) insist(books.completed === finished, `${books.completed} of ${finished} completed`);
  return perJob(spent, jobs);
}

/** Resolves when no job but those that were active before is active. */
async function settled(opened: Opened, before: number): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  while ((await opened.books()).active > before) {
    insist(performance.now() < until, 'jobs are still active after the last handler');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
