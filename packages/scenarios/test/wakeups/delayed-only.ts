import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import { PATIENCE_MS, type Rig } from '../../src/index.js';

/** How the load of delayed jobs is made. */
export interface DelayedLoad {
  readonly jobs: number;
  /** The jobs become due spread over so many ms. */
  readonly forMs: number;
  /** A worker is closed and another begins this often, ms. */
  readonly restartEveryMs: number;
}

/**
 * Runs a load of delayed jobs alone under workers that come and go.
 *
 * @returns for each job how long, in ms, nobody had begun anything although it was due: the time that a lost wake-up
 *   costs, and not that of a machine which is slow with what it has begun. The longest time for which this process, with
 *   client and gateways in it, stood still is taken off.
 */
export async function idleTimes(rig: Rig, load: DelayedLoad): Promise<number[]> {
  const queue = rig.freshQueue();
  const jobs = rig.queue<{ due: number }>(queue.name);
  const begun: { readonly due: number; readonly at: number }[] = [];
  let at = 0;
  const start = () => {
    const { address = '' } = rig.gateways[at++ % rig.gateways.length] ?? {};
    const connection = rig.connection({ address });
    return rig.worker<{ due: number }>(
      queue.name,
      (job) => void begun.push({ due: job.data.due, at: Date.now() }),
      { connection, concurrency: 10 },
    );
  };
  const crew = [start(), start()];
  const still = stillness();
  const from = Date.now();
  const bulk = Array.from({ length: load.jobs }, () => {
    const delay = randomInt(Math.min(100, load.forMs / 2), load.forMs);
    return { name: 'x', data: { due: from + delay }, opts: { runAt: new Date(from + delay) } };
  });
  for (let part = 0; part < bulk.length; part += 500) {
    await jobs.addBulk(bulk.slice(part, part + 500));
  }
  while (begun.length < load.jobs && Date.now() < from + load.forMs) {
    await sleep(load.restartEveryMs);
    crew.push(start());
    await crew.splice(randomInt(crew.length - 1), 1)[0]?.close();
  }
  await eventually(() => {
    if (begun.length < load.jobs) throw new Error(`${begun.length} of ${load.jobs} began`);
  }, PATIENCE_MS);
  await Promise.all(crew.map((worker) => worker.close()));
  const stillMs = still();
  return begun.map(({ due, at }, n) => at - Math.max(due, begun[n - 1]?.at ?? 0) - stillMs);
}

/** Watches for how long the event loop does not turn. @returns ends it and tells the longest such time, ms */
function stillness(): () => number {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 20);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
