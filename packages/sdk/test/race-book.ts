/** One run of a job, as the process tells it that ran it. Times in ms since the epoch. */
export interface Run {
  /** `WORKER:JOB:START`, where START counts how often the job was started. It is also the run's result. */
  readonly key: string;
  readonly startedAt: number;
  /** When its handler returned, or was told that the run no longer counts, or its process was killed. */
  overAt: number;
  /** What allows another run after this one. */
  fate?: 'lost' | 'killed';
  /** Its end was told as stored. */
  completed: boolean;
}

/** All runs of a race. */
export class RaceBook {
  readonly #runs = new Map<string, Run>();
  /** Runs whose end was told as stored. */
  completed = 0;
  /** Those that were told twice. */
  readonly toldTwice: string[] = [];
  /** Errors that workers have told of, by worker and reason. */
  readonly problems: (readonly [worker: string, reason: string])[] = [];

  /** A handler begins. */
  start(key: string, at: number): void {
    this.#runs.set(key, { key, startedAt: at, overAt: Number.POSITIVE_INFINITY, completed: false });
  }

  /** It has returned, or been told to stop. The first word counts. */
  over(key: string, at: number): void {
    const run = this.#runs.get(key);
    if (run) run.overAt = Math.min(run.overAt, at);
  }

  /** Its end is stored. */
  complete(key: string): void {
    const run = this.#runs.get(key);
    if (run === undefined || run.completed) this.toldTwice.push(key);
    else run.completed = true;
    this.completed += 1;
  }

  /** Its end was refused, or its lease is gone. */
  lost(key: string): void {
    const run = this.#runs.get(key);
    if (run) run.fate = 'lost';
  }

  /** A worker has told of an error. */
  problem(worker: string, reason: string): void {
    this.problems.push([worker, reason]);
  }

  /** The worker's process is dead since then. */
  killed(worker: string, at: number): void {
    for (const run of this.#of(worker)) {
      run.overAt = Math.min(run.overAt, at);
      if (!run.completed) run.fate ??= 'killed';
    }
  }

  /** Whether a worker has a job in hand. */
  holds(worker: string): boolean {
    return this.#of(worker).some(({ overAt }) => overAt === Number.POSITIVE_INFINITY);
  }

  /** The runs of each job, in the order of their begin. */
  byJob(): Map<string, Run[]> {
    const jobs = new Map<string, Run[]>();
    const inOrder = [...this.#runs.values()].sort((a, b) => a.startedAt - b.startedAt);
    for (const run of inOrder) {
      const [, id = ''] = run.key.split(':');
      jobs.set(id, [...(jobs.get(id) ?? []), run]);
    }
    return jobs;
  }

  /** What must not be: a run that begins while an earlier one goes on, or after one that nobody had lost. */
  violations(): string[] {
    return [...this.byJob().values()].flatMap((runs) =>
      runs.slice(1).flatMap((run, at) => {
        const before = runs[at] as Run;
        const both = `${before.key}, then ${run.key}`;
        if (run.startedAt < before.overAt) return [`${both} while the first went on`];
        return before.fate ? [] : [`${both} although nobody had lost the first`];
      }),
    );
  }

  #of(worker: string): Run[] {
    return [...this.#runs.values()].filter(({ key }) => key.startsWith(`${worker}:`));
  }
}
