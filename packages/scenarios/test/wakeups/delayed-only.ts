import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import { PATIENCE_MS, type Rig } from '../../src/index.js';

/** How the load of delayed jobs is made. */
export interface DelayedLoad {
  /** Delays are between these, ms. */
  readonly delayMs: readonly [from: number, to: number];
  /** Jobs are added for so long at least, ms. */
  readonly forMs: number;
  /** A worker goes and another begins this often, ms. */
  readonly restartEveryMs: number;
  /** As many jobs at least, on however slow a machine. */
  readonly jobs: number;
}

/** Adds between two silences, in which the last delayed job begins and nothing is left. */
const ADDS = 40;

/**
 * Adds delayed jobs and no others, one at a time and in any order of their times, under workers that come and go:
 * closed in good order or with their streams given up. A handler takes no time, so a slot is always free.
 *
 * @returns for each job how late its first run began, ms. The longest time for which this process, with client and
 *   gateways in it, stood still is taken off.
 */
export async function lateness(rig: Rig, load: DelayedLoad): Promise<number[]> {
  const queue = rig.freshQueue();
  const jobs = rig.queue<{ due: number }>(queue.name);
  const begun = new Map<string, number>();
  let at = 0;
  const start = () => {
    const { address = '' } = rig.gateways[at++ % rig.gateways.length] ?? {};
    return rig.worker<{ due: number }>(
      queue.name,
      ({ id, data }) => {
        if (!begun.has(id)) begun.set(id, Date.now() - data.due);
      },
      { connection: rig.connection({ address }), concurrency: 10 },
    );
  };
  const crew = [start(), start()];
  const still = stillness();
  const until = Date.now() + load.forMs;
  const [least, most] = load.delayMs;
  let over = false;
  const adding = (async () => {
    let added = 0;
    while (Date.now() < until || added < load.jobs) {
      const due = Date.now() + randomInt(least, most);
      await jobs.add('x', { due }, { runAt: new Date(due) });
      added += 1;
      await sleep(added % ADDS === 0 ? 1.2 * most : randomInt(Math.ceil(most / 50)));
    }
    over = true;
    return added;
  })();
  while (!over) {
    await sleep(load.restartEveryMs);
    crew.push(start());
    const [gone] = crew.splice(randomInt(crew.length - 1), 1);
    await gone?.close(randomInt(2) === 0 ? {} : { timeoutMs: 0 });
  }
  const added = await adding;
  await eventually(() => {
    if (begun.size < added) throw new Error(`${begun.size} of ${added} began`);
  }, PATIENCE_MS);
  await Promise.all(crew.map((worker) => worker.close()));
  const stillMs = still();
  return [...begun.values()].map((late) => late - stillMs);
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
