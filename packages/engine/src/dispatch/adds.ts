import {
  type AddOutcome,
  addBatch,
  addJob,
  type EchoMQError,
  type NewJob,
  type QueueKeys,
  type Store,
} from '@echomq/core';
import { GroupCommit } from './group-commit.js';

/** The adds of single jobs: those that meet in one turn go out as one script per queue, each with its own outcome. */
export class Adds {
  /** Those that have something to do. */
  readonly #queues = new Map<string, GroupCommit<NewJob, AddOutcome>>();

  /**
   * @param onSent told the queue when an add has left whose job may run at once: what is sent to that queue now finds it
   * there, should the store take it
   */
  constructor(
    private readonly store: Store,
    private readonly onSent: (keys: QueueKeys) => void = () => undefined,
  ) {}

  /**
   * Adds a job.
   *
   * @throws TransitionRejected as the transition of its kind; StoreFull, StoreUnavailable.
   */
  async add(keys: QueueKeys, job: NewJob): Promise<AddOutcome> {
    const known = this.#queues.get(keys.base);
    const commit = known ?? this.#begin(keys);
    try {
      return await commit.carryOut(job);
    } finally {
      if (commit.idle && this.#queues.get(keys.base) === commit) this.#queues.delete(keys.base);
    }
  }

  #begin(keys: QueueKeys): GroupCommit<NewJob, AddOutcome> {
    const commit = new GroupCommit<NewJob, AddOutcome>({
      send: (jobs) => this.#send(keys, jobs),
      sizeOf: ({ data, opts }) => data.length + opts.length,
    });
    this.#queues.set(keys.base, commit);
    return commit;
  }

  /** One alone has a script of its own, which is a little cheaper. */
  async #send(
    keys: QueueKeys,
    jobs: readonly NewJob[],
  ): Promise<readonly (AddOutcome | EchoMQError)[]> {
    const [first, ...more] = jobs;
    const alone = first && more.length === 0;
    const answers = alone ? addJob(this.store, keys, first) : addBatch(this.store, keys, jobs);
    if (jobs.some(mayRunAtOnce)) this.onSent(keys);
    const answer = await answers;
    return Array.isArray(answer) ? answer : [answer];
  }
}

function mayRunAtOnce({ delay, dueAt }: NewJob): boolean {
  return dueAt === undefined && (delay ?? 0) <= 0;
}
