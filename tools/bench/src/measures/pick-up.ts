import { type Bench, type Figures, insist } from '../measure.js';
import { percentile } from '../report/statistics.js';

/** Between two adds, so that the worker is idle again, ms. */
const PAUSE_MS = 3;

/** From the call of `add` to the begin of the handler, on an idle worker in the same process. */
export async function measurePickUp(bench: Bench): Promise<Figures> {
  const { jobs, warmUp = 0, concurrency = 10 } = bench.params;
  const opened = await bench.open();
  const sent = new Float64Array(jobs + warmUp);
  const took = new Float64Array(jobs + warmUp);
  let runs = 0;
  let arrived = () => {};
  const worker = await opened.work({
    concurrency,
    remove: false,
    handler: ({ n }) => {
      took[n] = performance.now() - (sent[n] ?? 0);
      runs += 1;
      arrived();
    },
  });
  for (let n = 0; n < jobs + warmUp; n += 1) {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    sent[n] = performance.now();
    await opened.add({ n });
    await arrival;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await worker.close();
  const { completed, active } = await opened.books();
  await opened.close();
  insist(runs === jobs + warmUp, `${runs} of ${jobs + warmUp} jobs ran`);
  insist(completed === runs && active === 0, `${completed} of ${runs} completed`);
  const measured = [...took.slice(warmUp)];
  return { p50Ms: percentile(measured, 0.5), p99Ms: percentile(measured, 0.99) };
}
