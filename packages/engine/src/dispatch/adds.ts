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

/** Queues that are remembered though nothing is added to them. */
const MAX_IDLE = 1_000;

/** The adds of single jobs: those that meet in one turn go out as one script per queue, each with its own outcome. */
export class Adds {
  /** Those that have something to do, and some that had. */
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
  add(keys: QueueKeys, job: NewJob): Promise<AddOutcome> {
    const commit = this.#queues.get(keys.base) ?? this.#begin(keys);
    return commit.carryOut(job);
  }

  #begin(keys: QueueKeys): GroupCommit<NewJob, AddOutcome> {
    const commit: GroupCommit<NewJob, AddOutcome> = new GroupCommit<NewJob, AddOutcome>({
      send: (jobs) => this.#send(keys, jobs),
      sendAlone: (job) => this.#sendAlone(keys, job),
      sizeOf: ({ data, opts }) => data.length + opts.length,
      onIdle: () => {
        if (this.#queues.size > MAX_IDLE) this.#queues.delete(keys.base);
      },
    });
    this.#queues.set(keys.base, commit);
    return commit;
  }

  /** One alone has a script of its own, which is a little cheaper. */
  #sendAlone(keys: QueueKeys, job: NewJob): Promise<AddOutcome> {
    const answer = addJob(this.store, keys, job);
    if (mayRunAtOnce(job)) this.onSent(keys);
    return answer;
  }

  #send(keys: QueueKeys, jobs: readonly NewJob[]): Promise<(AddOutcome | EchoMQError)[]> {
    const answers = addBatch(this.store, keys, jobs);
    if (jobs.some(mayRunAtOnce)) this.onSent(keys);
    return answers;
  }
}

function mayRunAtOnce({ delay, dueAt }: NewJob): boolean {
  return dueAt === undefined && (delay ?? 0) <= 0;
}
