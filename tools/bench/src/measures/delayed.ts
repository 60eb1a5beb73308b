import { type Bench, type Figures, insist } from '../measure.js';
import { percentile } from '../report/statistics.js';

/** Due times: the first this long after the add, then one each step, ms. */
const FIRST_MS = 300;
const STEP_MS = 17;

/** How long after its due time a delayed job's handler begins, on an idle worker. */
export async function measureDelayed(bench: Bench): Promise<Figures> {
  const { jobs, concurrency = 10 } = bench.params;
  const opened = await bench.open();
  const due = new Float64Array(jobs);
  const late: number[] = [];
  let all = () => {};
  const finished = new Promise<void>((resolve) => {
    all = resolve;
  });
  const worker = await opened.work({
    concurrency,
    remove: false,
    handler: ({ n }) => {
      // The due time is in whole ms of the wall clock, as the job's own timestamp is.
      late.push(Date.now() - (due[n] ?? 0));
      if (late.length === jobs) all();
    },
  });
  await Promise.all(
    Array.from({ length: jobs }, (_, n) => {
      const delayMs = FIRST_MS + n * STEP_MS;
      due[n] = Date.now() + delayMs;
      return opened.add({ n }, { delayMs });
    }),
  );
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
