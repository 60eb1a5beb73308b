import { type Bench, type Figures, insist, payloads } from '../measure.js';
import { fill } from './fill.js';

/** Bytes of Redis for a waiting job and for a completed one that is kept. */
export async function measureMemory(bench: Bench): Promise<Figures> {
  const { params, redis } = bench;
  const { jobs, concurrency = 100 } = params;
  const opened = await bench.open();
  const empty = await redis.read();
  await fill(opened, payloads(params));
  const full = await redis.read();
  let done = 0;
  let finish = () => {};
  const worked = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worker = await opened.work({
    concurrency,
    remove: false,
    handler: () => {
      done += 1;
      if (done === jobs) finish();
    },
  });
  await worked;
  await worker.close();
  const finished = await redis.read();
  const { completed } = await opened.books();
  await opened.close();
  insist(completed === jobs, `${completed} of ${jobs} completed`);
  return {
    waitingBytes: (full.usedBytes - empty.usedBytes) / jobs,
    completedBytes: (finished.usedBytes - empty.usedBytes) / jobs,
  };
}
