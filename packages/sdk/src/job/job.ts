import { JobNotFound } from '../errors.js';
import type { QueueEvents } from '../events/queue-events.js';
import {
  type Dependencies,
  type DependenciesCount,
  readChildrenValues,
  readDependencies,
  readDependenciesCount,
} from './dependencies.js';
import {
  type CancelOptions,
  type CancelOutcome,
  cancelJob,
  changeDelay,
  changePriority,
  type JobName,
  type PriorityOptions,
  promoteJob,
  type RemoveOptions,
  type RetryOptions,
  readState,
  removeJob,
  retryJob,
} from './job-calls.js';
import { JobSnapshot } from './job-snapshot.js';
import type { JobState } from './job-state.js';
import { logPages } from './logs.js';
import { waitForEnd } from './wait-for-end.js';

/** What a log page is read with. */
export interface LogsOptions {
  /** Newest line first. */
  readonly descending?: boolean;
}

/**
 * A job as it stood when it was read; it does not follow later changes. `Data` and `Result` are what you say they are:
 * nothing checks them at run time.
 */
export class Job<Data = unknown, Result = unknown> extends JobSnapshot<Data, Result> {
  /** Where it is now. @throws JobNotFound */
  getState(): Promise<JobState> {
    return readState(this.connection, this.ref());
  }

  /** Whether it has completed and is kept. False for a job that is gone. */
  isCompleted(): Promise<boolean> {
    return this.#isIn('completed');
  }

  /** Whether it has failed for good and is kept. False for a job that is gone. */
  isFailed(): Promise<boolean> {
    return this.#isIn('failed');
  }

  /** Whether it waits for its time. False for a job that is gone. */
  isDelayed(): Promise<boolean> {
    return this.#isIn('delayed');
  }

  /** Whether a worker holds it. False for a job that is gone. */
  isActive(): Promise<boolean> {
    return this.#isIn('active');
  }

  /** Whether it is ready and has no priority. False for a job that is gone. */
  isWaiting(): Promise<boolean> {
    return this.#isIn('waiting');
  }

  /** Whether it waits for its children. False for a job that is gone. */
  isWaitingChildren(): Promise<boolean> {
    return this.#isIn('waiting-children');
  }

  /** Makes a delayed job ready. @throws JobNotFound, JobNotInState */
  promote(): Promise<void> {
    return promoteJob(this.connection, this.ref());
  }

  /** Makes a finished job ready again, a failed one unless `state` says otherwise. @throws JobNotFound, JobNotInState */
  retry(options: RetryOptions = {}): Promise<void> {
    return retryJob(this.connection, this.ref(), options);
  }

  /**
   * Ends the job as failed with the reason `cancelled`; it is not tried again. One that does not run fails at once. One
   * that runs ends when its handler does, whatever that returns or throws; its signal aborts with a `JobCancelled`
   * within a second, wherever it runs.
   *
   * @throws JobNotFound; JobNotInState when it has finished
   */
  cancel(options: CancelOptions = {}): Promise<CancelOutcome> {
    return cancelJob(this.connection, this.ref(), options);
  }

  /**
   * Removes the job. Its children stay unless `removeChildren` says otherwise; BullMQ's default is to remove them.
   *
   * @returns false if it was gone already
   * @throws EchoMQError of reason JOB_LOCKED for an active one without `force`, JOB_BELONGS_TO_SCHEDULER
   */
  remove(options: RemoveOptions = {}): Promise<boolean> {
    return removeJob(this.connection, this.ref(), options);
  }

  /** Changes its priority: at once while it waits, else when it waits next. @throws InvalidRequest, JobNotFound, JobNotInState */
  async changePriority(options: PriorityOptions): Promise<void> {
    await changePriority(this.connection, this.ref(), options);
    this.record = { ...this.record, priority: options.priority ?? 0 };
  }

  /**
   * Changes when a delayed job becomes ready.
   *
   * @param delay ms from now
   * @throws InvalidRequest, JobNotFound, JobNotInState
   */
  changeDelay(delay: number): Promise<void> {
    return changeDelay(this.connection, this.ref(), delay);
  }

  /**
   * Its result, as soon as it has completed.
   *
   * @param _queueEvents not needed: the server tells of the end. BullMQ's has it in this place
   * @param ttl how long to wait at most, in ms; absent: as long as it takes. 0 looks once
   * @throws JobFailed when it has failed for good; JobNotFound when it was removed before it finished, or finished and
   *   was removed before this call; WaitTimedOut
   */
  async waitUntilFinished(_queueEvents?: QueueEvents, ttl?: number): Promise<Result> {
    const options = ttl === undefined ? {} : { ttl };
    return (await waitForEnd(this.connection, this.ref(), options)) as Result;
  }

  /**
   * The results of its children that have completed, by `queue:id` (BullMQ's keys begin with the prefix). In a handler
   * any number; else at most 1,000, which must still be kept.
   *
   * @throws JobNotFound; EchoMQError of reason CHILDREN_NOT_READABLE when a result cannot be had
   */
  getChildrenValues<Value = unknown>(): Promise<Record<string, Value>> {
    return readChildrenValues<Value>(this.connection, this.ref());
  }

  /**
   * Its children as they are now, at most 1,000, by what became of them. They are read one after the other, and a child
   * that is gone shows its id alone.
   *
   * @throws JobNotFound
   */
  async getDependencies(): Promise<Dependencies> {
    const children = await readDependencies(this.connection, this.ref());
    const of = (wanted: keyof Dependencies) =>
      children
        .filter(([kind]) => kind === wanted)
        .map(([, record]) => new Job(this.connection, record));
    return {
      processed: of('processed'),
      unprocessed: of('unprocessed'),
      failed: of('failed'),
      ignored: of('ignored'),
    };
  }

  /** How many of its children stand how. @throws JobNotFound */
  getDependenciesCount(): Promise<DependenciesCount> {
    return readDependenciesCount(this.connection, this.ref());
  }

  /** The lines of its log, oldest first unless `descending`, fetched page by page. @throws JobNotFound */
  async *logs({ descending = false }: LogsOptions = {}): AsyncGenerator<string, void, undefined> {
    const pages = logPages(this.connection, this.ref(), { descending, pageSize: 1_000 });
    for await (const { lines } of pages) yield* lines;
  }

  /** @internal It, for calls. */
  protected ref(): JobName {
    return { queue: this.queueName, jobId: this.id };
  }

  async #isIn(state: JobState): Promise<boolean> {
    try {
      return (await this.getState()) === state;
    } catch (error) {
      if (error instanceof JobNotFound) return false;
      throw error;
    }
  }
}
