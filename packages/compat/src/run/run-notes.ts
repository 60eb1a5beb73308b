import type { Run, Work } from '../peers/house.js';

/** A run, when it began and when it was over, on one scale. */
export interface NotedRun {
  readonly by: string;
  readonly id: string;
  readonly key: string;
  readonly attemptsMade: number;
  readonly began: number;
  readonly ended: number;
}

/** Notes what every worker runs. */
export class RunNotes {
  readonly runs: NotedRun[] = [];
  #clock = 0;

  /** Work for a worker of this name: a turn of the event loop, then success or failure as the task says. */
  work(by: string): Work {
    return async ({ id, task, attemptsMade }: Run) => {
      const began = this.#clock++;
      await new Promise((resolve) => setImmediate(resolve));
      const ended = this.#clock++;
      this.runs.push({ by, id, key: task.key, attemptsMade, began, ended });
      if (attemptsMade < task.fails) throw new Error(`no ${task.key}`);
      return task.key;
    };
  }

  /** The attempts of each key, in the order of their ends. */
  attempts(): Map<string, number[]> {
    const attempts = new Map<string, number[]>();
    for (const { key, attemptsMade } of this.runs) {
      const made = attempts.get(key);
      if (made) made.push(attemptsMade);
      else attempts.set(key, [attemptsMade]);
    }
    return attempts;
  }
}
