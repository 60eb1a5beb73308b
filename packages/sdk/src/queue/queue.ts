import { randomUUID } from 'node:crypto';
import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { EchoMQError, invalid, JobNotFound } from '../errors.js';
import { AddedJob } from '../job/added-job.js';
import { Job } from '../job/job.js';
import {
  type JobName,
  promoteJob,
  type RemoveOptions,
  type RetryOptions,
  readState,
  removeJob,
  retryJob,
} from '../job/job-calls.js';
import type { JobsOptions } from '../job/job-options.js';
import { decodeState, encodeState, type JobState } from '../job/job-state.js';
import { errorFromStatus } from '../transport/status.js';
import { type BulkItem, encodeItem } from './add-items.js';
import { type JobPage, type ListOptions, listJobs } from './list-jobs.js';
import { checkQueueName } from './queue-name.js';

/** How a queue is reached. */
export interface QueueOptions {
  /** From `connect` or `embedded`. The queue does not close it. */
  readonly connection: Connection;
  /** Options of every job that is added here, where the add names none. */
  readonly defaultJobOptions?: JobsOptions;
}

/**
 * Adds jobs to a queue and looks into it. It holds nothing open: there is nothing to close.
 *
 * @example
 * const mails = new Queue<Mail>('mails', { connection });
 * const job = await mails.add('welcome', { to: 'ada@example.org' }, { attempts: 3 });
 */
export class Queue<Data = unknown, Result = unknown> {
  /** Its name. */
  readonly name: string;
  /** The connection that it was given. */
  readonly connection: Connection;
  readonly #defaults: JobsOptions;

  /** @throws InvalidRequest for a name outside the rules */
  constructor(name: string, { connection, defaultJobOptions = {} }: QueueOptions) {
    checkQueueName(name);
    this.name = name;
    this.connection = connection;
    this.#defaults = defaultJobOptions;
  }

  /**
   * Adds one job. Once it returns, the job is stored. With a `jobId` of your own a call that failed may be repeated;
   * what the SDK repeats by itself never adds twice.
   *
   * @param data anything that JSON can hold; a Date becomes its ISO string
   * @throws InvalidRequest, PayloadTooLarge, Overloaded, Unavailable
   */
  async add(name: string, data: Data, opts: JobsOptions = {}): Promise<AddedJob<Data, Result>> {
    const item = encodeItem(this.name, { name, data, opts: this.#withDefaults(opts) }, '');
    const request = { ...item, requestId: randomUUID() };
    const idempotent = hasOwnId(item);
    return new AddedJob(
      this.connection,
      item,
      await this.connection.call('producer', 'addJob', request, { idempotent }),
    );
  }

  /**
   * Adds many jobs, at most 1,000: all or none, in one step.
   *
   * @returns the jobs in the order of the items
   * @throws what {@link add} throws, with the item's place in `field`; then nothing was added
   */
  addBulk(items: readonly BulkItem<Data>[]): Promise<AddedJob<Data, Result>[]>;
  /**
   * Adds many jobs, each by itself.
   *
   * @returns per item the job, or the error that kept it out
   */
  addBulk(
    items: readonly BulkItem<Data>[],
    options: { readonly perItem: true },
  ): Promise<(AddedJob<Data, Result> | EchoMQError)[]>;
  async addBulk(
    items: readonly BulkItem<Data>[],
    { perItem = false }: { readonly perItem?: boolean } = {},
  ): Promise<(AddedJob<Data, Result> | EchoMQError)[]> {
    if (items.length === 0) return [];
    const encoded = items.map((item, index) =>
      encodeItem(
        this.name,
        { ...item, opts: this.#withDefaults(item.opts ?? {}) },
        `items[${index}].`,
      ),
    );
    const request = {
      queue: this.name,
      items: encoded,
      mode: perItem ? pb.AddMode.PER_ITEM : pb.AddMode.ATOMIC,
      requestId: randomUUID(),
    };
    const idempotent = encoded.every(hasOwnId);
    const { results } = await this.connection.call('producer', 'addJobs', request, { idempotent });
    return encoded.map((item, index) => {
      const result = results[index]?.result;
      if (result?.$case === 'added') return new AddedJob(this.connection, item, result.value);
      if (result?.$case === 'error') return errorFromStatus(result.value);
      throw new EchoMQError(`the gateway gave no answer for item ${index}`, {
        code: 'INTERNAL',
        reason: '',
      });
    });
  }

  /** The job of that id, or undefined if there is none. */
  async getJob(id: string): Promise<Job<Data, Result> | undefined> {
    try {
      const request = { ...this.#job(id), view: pb.JobView.FULL };
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
  getJobs(states: readonly JobState[] = [], options: ListOptions = {}): JobPage<Data, Result> {
    return listJobs(this.connection, this.name, states, options);
  }

  /** How many jobs are in each of the states; without arguments in all of them. */
  async getJobCounts(...states: JobState[]): Promise<Record<JobState, number>> {
    const { counts } = await this.connection.call('queue', 'getJobCounts', {
      queue: this.name,
      states: states.map(encodeState),
    });
    return Object.fromEntries(
      counts.map(({ state, count }) => [decodeState(state), count]),
    ) as Record<JobState, number>;
  }

  /** Where a job is. @throws JobNotFound */
  async getJobState(id: string): Promise<JobState> {
    return readState(this.connection, this.#job(id));
  }

  /** Makes a delayed job ready. @throws JobNotFound, JobNotInState */
  async promote(id: string): Promise<void> {
    return promoteJob(this.connection, this.#job(id));
  }

  /** Makes a finished job ready again, a failed one unless `state` says otherwise. @throws JobNotFound, JobNotInState */
  async retryJob(id: string, options: RetryOptions = {}): Promise<void> {
    return retryJob(this.connection, this.#job(id), options);
  }

  /** Removes a job; see `Job.remove`. Returns false if there is none. */
  async remove(id: string, options: RemoveOptions = {}): Promise<boolean> {
    return removeJob(this.connection, this.#job(id), options);
  }

  /** Stops handing out jobs, for all workers; those at work go on. */
  async pause(): Promise<void> {
    await this.connection.call('queue', 'pauseQueue', { queue: this.name });
  }

  /** Hands out jobs again. */
  async resume(): Promise<void> {
    await this.connection.call('queue', 'resumeQueue', { queue: this.name });
  }

  /** Whether it hands out nothing. An unknown queue is not paused. */
  async isPaused(): Promise<boolean> {
    try {
      const { queue } = await this.connection.call('queue', 'getQueue', { queue: this.name });
      return queue?.paused ?? false;
    } catch (error) {
      if (error instanceof EchoMQError && error.reason === 'QUEUE_NOT_FOUND') return false;
      throw error;
    }
  }

  #job(id: unknown): JobName {
    if (typeof id === 'string' && id !== '') return { queue: this.name, jobId: id };
    throw invalid('jobId', 'must be a string that is not empty');
  }

  #withDefaults(opts: JobsOptions): JobsOptions {
    return { ...this.#defaults, ...opts };
  }
}

/** An add of an id that exists changes nothing. */
function hasOwnId({ options }: pb.AddJobItem): boolean {
  return (options?.jobId ?? '') !== '';
}
