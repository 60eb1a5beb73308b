import { type Bench, type Figures, insist } from '../measure.js';
import { percentile } from '../report/statistics.js';

/** Due times: the first this long after the add, then one each step, ms. */
const FIRST_MS = 300;
const STEP_MS = 17;

/** How long after its due time a delayed job's handler begins, on an idle worker. */
export async function measureDelayed(bench: Bench): Promise<Figures> {
  const { jobs: measured, warmUp = 0, concurrency = 10 } = bench.params;
  const jobs = warmUp + measured;
  const opened = await bench.open();
  const due = new Float64Array(jobs);
  const late: number[] = [];
  let runs = 0;
  let all = () => {};
  const finished = new Promise<void>((resolve) => {
    all = resolve;
  });
  const worker = await opened.work({
    concurrency,
    remove: false,
    handler: ({ n }) => {
      // The due time is in whole ms of the wall clock, as the job's own timestamp is.
      if (n >= warmUp) late.push(Date.now() - (due[n] ?? 0));
      runs += 1;
      if (runs === jobs) all();
    },
  });
  // One after the other: a delay counts from when the store has taken the job, and in a crowd that is not when it was asked to.
  for (let n = 0; n < jobs; n += 1) {
    const delayMs = FIRST_MS + n * STEP_MS;
    due[n] = Date.now() + delayMs;
    await opened.add({ n }, { delayMs });
  }
  await finished;
  await worker.close();
  const { completed } = await opened.books();
  await opened.close();
  insist(completed === jobs, `${completed} of ${jobs} completed`);
  return {
    p50Ms: percentile(late, 0.5),
    p99Ms: percentile(late, 0.99),
    maxMs: Math.max(...late),
    earlyMs: -Math.min(0, ...late),
  };
}
