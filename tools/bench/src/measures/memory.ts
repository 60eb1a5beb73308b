import type { Opened, RunningWorker } from '../contender.js';
import { type Bench, type Figures, insist, payloads } from '../measure.js';
import type { RedisMeter } from '../run/redis-meter.js';
import { fill } from './fill.js';

/** Jobs that are worked off before the measurement. */
const FIRST = 500;

/** Redis gives the buffer of a link that was used for something large back after two idle seconds. */
const BUFFERS_GO_MS = 3_000;

/**
 * Bytes of Redis for a waiting job and for a completed one that is kept. A few are worked off before: what a queue costs
 * once, such as the scripts that Redis keeps and the links of a worker, is no part of a job.
 */
export async function measureMemory(bench: Bench): Promise<Figures> {
  const { params, redis } = bench;
  const { jobs, concurrency = 100 } = params;
  const opened = await bench.open();
  await fill(opened, payloads({ ...params, jobs: FIRST }));
  await (await workOff(opened, concurrency, FIRST)).close();
  const empty = await usedBytes(redis);
  await fill(opened, payloads(params));
  const full = await usedBytes(redis);
  await (await workOff(opened, concurrency, jobs)).close();
  const finished = await usedBytes(redis);
  const { completed } = await opened.books();
  await opened.close();
  insist(completed === FIRST + jobs, `${completed} of ${FIRST + jobs} completed`);
  return {
    waitingBytes: (full - empty) / jobs,
    completedBytes: (finished - empty) / jobs,
  };
}

async function usedBytes(redis: RedisMeter): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, BUFFERS_GO_MS));
  return (await redis.read()).usedBytes;
}

/** A worker that has done so many jobs. */
async function workOff(opened: Opened, concurrency: number, jobs: number): Promise<RunningWorker> {
  let done = 0;
  let finish = () => {};
  const worked = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const handler = () => {
    done += 1;
    if (done === jobs) finish();
  };
  const worker = await opened.work({ concurrency, remove: false, handler });
  await worked;
  return worker;
}
