import type { House, Run, Task, TaskOptions, Work } from './house.js';

/** A job of a mixed run and what is to become of it. */
export interface Planned {
  readonly task: Task;
  readonly options: TaskOptions;
  /** How often it must run. */
  readonly runs: number;
  readonly end: 'completed' | 'failed';
}

const KINDS: readonly { readonly fails: number; readonly options: TaskOptions }[] = [
  { fails: 0, options: {} },
  { fails: 0, options: { delay: 60 } },
  { fails: 0, options: { priority: 3 } },
  { fails: 0, options: { lifo: true } },
  { fails: 1, options: { attempts: 3 } },
  { fails: 2, options: { attempts: 3, backoff: { type: 'fixed', delay: 25 } } },
  { fails: 1, options: { attempts: 2, priority: 1 } },
  { fails: 1, options: { attempts: 2, delay: 15, priority: 2 } },
  { fails: 2, options: { attempts: 2 } },
  { fails: 1, options: {} },
];

/** So many jobs of every kind in turn; each third has an id of its own. */
export function planLoad(count: number): Planned[] {
  return Array.from({ length: count }, (_, i) => {
    const { fails, options } = KINDS[i % KINDS.length] as (typeof KINDS)[number];
    const attempts = options.attempts ?? 1;
    return {
      task: { key: `t${i}`, fails },
      options: i % 3 === 0 ? { ...options, jobId: `own-${i}` } : options,
      runs: Math.min(fails + 1, attempts),
      end: fails < attempts ? 'completed' : 'failed',
    };
  });
}

/** Which worker ran what. */
export interface Ran extends Run {
  readonly by: string;
}

/** Work that notes each run and fails as the tasks say. */
export function notingWork(by: string, note: (ran: Ran) => void): Work {
  return async (run) => {
    // A turn of the event loop: runs of several workers overlap.
    await new Promise((resolve) => setImmediate(resolve));
    note({ ...run, by });
    if (run.attemptsMade < run.task.fails) throw new Error(`no ${run.task.key}`);
    return run.task.key;
  };
}

/** Adds the plan by turns through several houses. Returns the ids in the order of the plan. */
export async function addByTurns(
  plan: readonly Planned[],
  houses: readonly House[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const [i, { task, options }] of plan.entries()) {
    const house = houses[i % houses.length] as House;
    ids.push(await house.add(task, options));
  }
  return ids;
}
