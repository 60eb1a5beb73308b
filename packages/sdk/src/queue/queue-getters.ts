import * as pb from '@echomq/proto/messages';
import { JobNotFound, QueueNotFound } from '../errors.js';
import { Job } from '../job/job.js';
import { readState } from '../job/job-calls.js';
import { JOB_STATES, type JobState } from '../job/job-state.js';
import { readLogs } from '../job/logs.js';
import { type WaitOptions, waitForEnd } from '../job/wait-for-end.js';
import { checkRange, pageSizeFor, type Range, takeRange } from '../paging/range.js';
import { uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';
import { type JobPage, type ListOptions, listJobs } from './list-jobs.js';
import { listWorkers, type WorkerRecord } from './list-workers.js';
import { type Metrics, readMetrics } from './metrics.js';
import { QueueCounts } from './queue-counts.js';
import { metaOf, type QueueMeta } from './queue-meta.js';

/** Looks into a queue. An unknown queue is empty. */
export abstract class QueueGetters<Data = unknown, Result = unknown> extends QueueCounts {
  /** The job of that id, or undefined if there is none. */
  async getJob(id: string): Promise<Job<Data, Result> | undefined> {
    try {
      const request = { ...this.jobName(id), view: pb.JobView.FULL };
      const { job } = await this.connection.call('queue', 'getJob', request);
      return job === undefined ? undefined : new Job(this.connection, job);
    } catch (error) {
      if (error instanceof JobNotFound) return undefined;
      throw error;
    }
  }

  /**
   * The jobs in some states, page by page as they are asked for; jobs that move meanwhile may be missed or come twice.
   *
   * @param states none: all
   * @example for await (const job of queue.getJobs(['failed'])) …
   */
  getJobs(states?: readonly JobState[], options?: ListOptions): JobPage<Data, Result>;
  /**
   * The jobs in some states, by position as in BullMQ: of each state those from `start` to `end`.
   *
   * @param end the last position; -1: the last job
   * @param asc the oldest first; else the newest
   * @throws InvalidRequest naming `start` or `end`
   */
  getJobs(
    states: readonly JobState[],
    start: number,
    end?: number,
    asc?: boolean,
  ): Promise<Job<Data, Result>[]>;
  getJobs(
    states: readonly JobState[] = [],
    options: ListOptions | number = {},
    end = -1,
    asc = false,
  ): JobPage<Data, Result> | Promise<Job<Data, Result>[]> {
    if (typeof options === 'object') return listJobs(this.connection, this.name, states, options);
    return this.#jobsOf(states, { start: options, end }, asc ? 'asc' : 'desc');
  }

  /**
   * Jobs that are ready, the next to run first.
   *
   * @param start the first position, from 0; what stands before it is passed over unread
   * @param end the last position; -1: the last job
   * @throws InvalidRequest naming `start` or `end`
   */
  getWaiting(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('waiting', { start, end });
  }

  /** Ready jobs with a priority, the next to run first. Positions as for {@link getWaiting}. */
  getPrioritized(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('prioritized', { start, end });
  }

  /** Jobs that wait for their time, the first to be due first. Positions as for {@link getWaiting}. */
  getDelayed(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('delayed', { start, end });
  }

  /** Jobs that workers hold, the longest held first. Positions as for {@link getWaiting}. */
  getActive(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('active', { start, end });
  }

  /** Jobs that wait for their children. Positions as for {@link getWaiting}. */
  getWaitingChildren(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('waiting-children', { start, end });
  }

  /** Completed jobs, the newest first. Positions as for {@link getWaiting}. */
  getCompleted(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('completed', { start, end });
  }

  /** Failed jobs, the newest first. Positions as for {@link getWaiting}. */
  getFailed(start = 0, end = -1): Promise<Job<Data, Result>[]> {
    return this.#jobsAt('failed', { start, end });
  }

  /** Where a job is. @throws JobNotFound */
  getJobState(id: string): Promise<JobState> {
    return readState(this.connection, this.jobName(id));
  }

  /**
   * Lines of a job's log, and how many there are.
   *
   * @param start the first position, from 0
   * @param end the last position; -1: the last line
   * @param ascending the oldest line first; else the newest, and positions count from it
   * @throws JobNotFound, where BullMQ's answers with no lines
   */
  getJobLogs(id: string, start = 0, end = -1, ascending = true) {
    return readLogs(this.connection, this.jobName(id), { start, end, ascending });
  }

  /**
   * The result of a job, as soon as it has completed.
   *
   * @throws JobFailed when it has failed for good; JobNotFound when there is no such job, also one that finished and was
   *   removed before this call; WaitTimedOut after `ttl`; an error of code CANCELLED when `signal` aborts
   */
  async waitForJob(id: string, options: WaitOptions = {}): Promise<Result> {
    return (await waitForEnd(this.connection, this.jobName(id), options)) as Result;
  }

  /**
   * How many jobs finished per minute; nothing where no server counts.
   *
   * @param start the first minute, counted back from the newest (0)
   * @param end the last minute, counted back; -1: the oldest that is kept
   */
  getMetrics(kind: 'completed' | 'failed', start = 0, end = -1): Promise<Metrics> {
    checkRange({ start, end });
    return readMetrics(this.connection, this.name, { kind, start, end });
  }

  /**
   * Who works on the queue: every session of a worker that was heard in the last 30 s and has not left, with what it
   * held when it was noted last, up to 10 s ago. BullMQ's lists connections, and none of EchoMQ's workers.
   */
  getWorkers(): Promise<WorkerRecord[]> {
    return listWorkers(this.connection, this.name).all();
  }

  /** How many sessions work on the queue. */
  async getWorkersCount(): Promise<number> {
    return (await this.getWorkers()).length;
  }

  /** The settings of the queue; an unknown one has none. */
  async getMeta(): Promise<QueueMeta> {
    try {
      const { queue } = await this.connection.call('queue', 'getQueue', { queue: this.name });
      return metaOf(queue);
    } catch (error) {
      // What was never used is set to nothing.
      if (error instanceof QueueNotFound) return metaOf(undefined);
      throw error;
    }
  }

  /** The software that wrote to the queue last, as it calls itself. */
  async getVersion(): Promise<string | undefined> {
    return (await this.getMeta()).version;
  }

  /** Whether it hands out nothing. An unknown queue is not paused. */
  async isPaused(): Promise<boolean> {
    return (await this.getMeta()).paused;
  }

  /** How many jobs may be active at once over all workers; undefined: no bound. */
  async getGlobalConcurrency(): Promise<number | undefined> {
    return (await this.getMeta()).concurrency;
  }

  /** The limit over all workers; undefined: there is none. */
  async getGlobalRateLimit(): Promise<QueueMeta['rateLimit']> {
    return (await this.getMeta()).rateLimit;
  }

  /**
   * How long the queue is held by a rate limit from now, in ms; 0: it is not (BullMQ's may answer -2).
   *
   * @param maxJobs as if so many jobs could begin in a span; absent: as the queue's limit says
   * @throws InvalidRequest naming `maxJobs`
   */
  async getRateLimitTtl(maxJobs?: number): Promise<number> {
    const request = { queue: this.name, maxJobs: uint32Of(maxJobs, 'maxJobs') };
    const { ttl } = await this.connection.call('queue', 'getRateLimit', request);
    return pb.durationToMs(ttl) ?? 0;
  }

  /** Whether as many jobs are active as the global concurrency allows. Without one it never is. */
  async isMaxed(): Promise<boolean> {
    return (await this.getMeta()).maxed;
  }

  /** The job that holds a deduplication id, which may be gone already; undefined: the id is free. */
  async getDeduplicationJobId(id: string): Promise<string | undefined> {
    const request = { queue: this.name, deduplicationId: textOf(id, 'id') };
    return (await this.connection.call('queue', 'getDeduplicationJob', request)).jobId;
  }

  async #jobsOf(
    states: readonly JobState[],
    range: Range,
    order: 'asc' | 'desc',
  ): Promise<Job<Data, Result>[]> {
    checkRange(range);
    const each = states.length > 0 ? [...new Set(states)] : JOB_STATES;
    const jobs: Job<Data, Result>[] = [];
    for (const state of each) jobs.push(...(await this.#jobsAt(state, range, order)));
    return jobs;
  }

  async #jobsAt(
    state: JobState,
    range: Range,
    order?: 'asc' | 'desc',
  ): Promise<Job<Data, Result>[]> {
    checkRange(range);
    const skip = uint32Of(range.start, 'start') ?? 0;
    // What is passed over does not come.
    const rest = { start: 0, end: range.end < 0 ? -1 : range.end - range.start };
    if (range.end >= 0 && rest.end < 0) return [];
    const options = { skip, pageSize: pageSizeFor(rest), ...(order ? { order } : {}) };
    return takeRange(this.getJobs([state], options), rest);
  }
}
