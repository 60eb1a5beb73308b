import * as pb from '@echomq/proto/messages';
import { JobNotFound } from '../errors.js';
import type { QueueEvents } from '../events/queue-events.js';
import { reasonOf, resultOf } from '../worker/children.js';
import {
  type Dependencies,
  type DependenciesCount,
  readChildren,
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
import {
  addLog,
  clearLogs,
  cutFromParent,
  removePending,
  setData,
  setProgress,
} from './job-writes.js';
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
   * The results of its children that have completed, by `queue:id` (BullMQ's keys begin with the prefix), also of those
   * that are gone.
   *
   * @throws JobNotFound; EchoMQError of reason CHILDREN_NOT_READABLE for a result that no message can carry
   */
  getChildrenValues<Value = unknown>(): Promise<Record<string, Value>> {
    const { PROCESSED } = pb.ChildFilter;
    return readChildren(this.connection, this.ref(), PROCESSED, resultOf) as Promise<
      Record<string, Value>
    >;
  }

  /** Why children failed without which it goes on, by `queue:id`. @throws JobNotFound */
  getIgnoredChildrenFailures(): Promise<Record<string, string>> {
    return readChildren(this.connection, this.ref(), pb.ChildFilter.IGNORED, reasonOf);
  }

  /** Why children failed that make it fail too, by `queue:id`; empty texts of those that are gone. @throws JobNotFound */
  getFailedChildrenReasons(): Promise<Record<string, string>> {
    return readChildren(this.connection, this.ref(), pb.ChildFilter.FAILED, reasonOf);
  }

  /**
   * Cuts the tie to its parent, which goes on if it waits for no other child. It stays itself, without a parent.
   *
   * @returns whether the parent waited for it
   * @throws JobNotFound
   */
  removeChildDependency(): Promise<boolean> {
    return cutFromParent(this.connection, this.ref());
  }

  /**
   * Removes its children that have not finished, with their descendants; those that run or have failed stay.
   *
   * @returns how many jobs went, where BullMQ's returns nothing
   * @throws JobNotFound
   */
  removeUnprocessedChildren(): Promise<number> {
    return removePending(this.connection, this.ref());
  }

  /** Frees the deduplication id with which it was added, if it is the one that holds it. Returns whether it did. */
  async removeDeduplicationKey(): Promise<boolean> {
    const { deduplicationId: id, queueName: queue } = this;
    if (id === undefined) return false;
    const request = { queue, deduplicationId: id };
    const { jobId } = await this.connection.call('queue', 'getDeduplicationJob', request);
    if (jobId !== this.id) return false;
    return (await this.connection.call('queue', 'removeDeduplicationKey', request)).removed;
  }

  /**
   * Sets the progress that others see, whatever its state; in a handler see `ActiveJob`. A job that is gone stays gone.
   *
   * @param progress anything that JSON can hold
   * @throws InvalidRequest, JobNotFound
   */
  async updateProgress(progress: unknown): Promise<void> {
    const bytes = await setProgress(this.connection, this.ref(), progress);
    this.record = { ...this.record, progress: bytes };
  }

  /**
   * Replaces the payload, here and in the store, whatever its state; a run under way goes on with the old one. A job
   * that is gone stays gone.
   *
   * @throws InvalidRequest, PayloadTooLarge, JobNotFound
   */
  async updateData(data: Data): Promise<void> {
    this.replaceData(await setData(this.connection, this.ref(), data));
  }

  /** Appends a line to its log, whatever its state. A job that is gone stays gone. @throws InvalidRequest, JobNotFound */
  async log(line: string): Promise<void> {
    await addLog(this.connection, this.ref(), { text: `${line}` });
  }

  /** Removes all lines of its log but the newest `keepLogs`, by default all. @throws InvalidRequest, JobNotFound */
  clearLogs(keepLogs = 0): Promise<void> {
    return clearLogs(this.connection, this.ref(), keepLogs);
  }

  /**
   * Its children as they are now, by what became of them: all of them, some calls for each 1,000. They are read one after
   * the other, and a child that is gone shows its id alone.
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
