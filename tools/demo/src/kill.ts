import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from './processes.js';
import type { StoredQueue } from './stored-queue.js';

/** A worker that was killed while it held jobs. */
export interface Killed {
  readonly name: string;
  readonly pid: number;
  /** The jobs that were active in its name when it was killed. */
  readonly held: readonly string[];
  /** Those of them whose handler had surely begun: it had reported progress. */
  readonly begun: readonly string[];
}

const LOOK_EVERY_MS = 50;
/** What a frozen worker has sent before is on its way no longer than this. */
const SETTLE_MS = 100;

/** When a worker may be killed. */
export interface Prey {
  readonly workers: readonly Running[];
  /** So many jobs must have finished before. */
  readonly afterFinished: number;
  /** So many jobs that have begun must be in its hands. */
  readonly begun: number;
}

/**
 * Kills the first worker that is seen to hold jobs whose handlers have begun. The worker is frozen (SIGSTOP), looked at
 * again, and killed (SIGKILL) only if it still holds as many; so what it held is known.
 *
 * @throws the signal's reason when that comes first
 */
export async function killWhileHolding(
  prey: Prey,
  stored: StoredQueue,
  signal: AbortSignal,
): Promise<Killed> {
  while ((await stored.finished()) < prey.afterFinished) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  const enough = (holder: Holder) => holder.begun.length >= prey.begun;
  for (;;) {
    const { worker } = (await holders(prey.workers, stored)).find(enough) ?? {};
    if (worker) {
      worker.signal('SIGSTOP');
      await sleep(SETTLE_MS, undefined, { signal });
      const [now] = await holders([worker], stored);
      if (now && enough(now)) {
        worker.signal('SIGKILL');
        await worker.ended;
        return { name: worker.name, pid: worker.pid, held: now.held, begun: now.begun };
      }
      worker.signal('SIGCONT');
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

interface Holder {
  readonly worker: Running;
  readonly held: readonly string[];
  readonly begun: readonly string[];
}

async function holders(workers: readonly Running[], stored: StoredQueue): Promise<Holder[]> {
  const active = (await stored.ids()).get('active') ?? [];
  const jobs = [...(await stored.jobs(active))];
  return workers.map((worker) => {
    const own = jobs.filter(([, job]) => job.worker === worker.name);
    return {
      worker,
      held: own.map(([id]) => id),
      begun: own.filter(([, job]) => job.progress !== '').map(([id]) => id),
    };
  });
}
