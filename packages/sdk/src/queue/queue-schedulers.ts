import { EchoMQError, invalid } from '../errors.js';
import { ScheduledJob } from '../job/scheduled-job.js';
import type { PageOptions, Pages } from '../paging/pages.js';
import { checkNames } from '../payload/known-names.js';
import { uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';
import { encodeSchedule, type RepeatOptions } from '../schedulers/repeat-options.js';
import {
  type JobSchedulerJson,
  listSchedulers,
  schedulerOf,
} from '../schedulers/scheduler-json.js';
import { encodeTemplate, type JobTemplate } from '../schedulers/template.js';
import { QueueBulk } from './queue-bulk.js';

/** Which runs of a schedule are computed. */
export interface PreviewOptions {
  /** How many, 1 to 100; 10 by default. */
  readonly count?: number;
  /** Runs after this instant; absent: now. */
  readonly after?: Date;
}

const PREVIEW_NAMES: ReadonlySet<string> = new Set(['count', 'after']);

/** Job schedulers: each makes its next job as the current one is taken. */
export abstract class QueueSchedulers<Data = unknown, Result = unknown> extends QueueBulk<
  Data,
  Result
> {
  /**
   * Makes a scheduler or replaces the one with this id; safe to repeat. The run that stands ahead is replaced with it.
   *
   * @param id 1 to 256 bytes, unique in the queue
   * @param repeat when its jobs run
   * @param template what they look like; the queue's default options stand under its own
   * @returns its next job, as it will be: it may be running by the time that you look
   * @throws InvalidRequest naming the field, of reason CRON_INVALID for a pattern or a zone; EchoMQError of reason
   *   SCHEDULER_JOB_ID_COLLISION, SCHEDULER_JOB_SLOTS_BUSY. Nothing was written then.
   */
  async upsertJobScheduler(
    id: string,
    repeat: RepeatOptions,
    template: JobTemplate<Data> = {},
  ): Promise<ScheduledJob<Data, Result>> {
    const schedulerId = this.#schedulerId(id);
    const schedule = encodeSchedule(repeat);
    const encoded = encodeTemplate(template, this.defaultJobOptions);
    const request = { queue: this.name, schedulerId, schedule, template: encoded, requestId: '' };
    const next = await this.connection.call('scheduler', 'upsertScheduler', request);
    return new ScheduledJob(this.connection, request, next);
  }

  /** The scheduler of that id, or undefined if there is none. */
  async getJobScheduler(id: string): Promise<JobSchedulerJson<Data> | undefined> {
    const request = { queue: this.name, schedulerId: this.#schedulerId(id) };
    try {
      const { scheduler } = await this.connection.call('scheduler', 'getScheduler', request);
      return scheduler === undefined ? undefined : schedulerOf<Data>(scheduler);
    } catch (error) {
      if (error instanceof EchoMQError && error.reason === 'SCHEDULER_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /**
   * The schedulers, page by page as they are asked for, in the order of their next run; BullMQ's takes positions and
   * gives an array, as `all()` does here.
   *
   * @example const schedulers = await queue.getJobSchedulers().all();
   */
  getJobSchedulers(
    options: PageOptions & { readonly order?: 'asc' | 'desc' } = {},
  ): Pages<JobSchedulerJson<Data>> {
    return listSchedulers<Data>(this.connection, this.name, options);
  }

  /** How many schedulers there are. */
  async getJobSchedulersCount(): Promise<number> {
    const request = { queue: this.name, pageSize: 1, pageToken: '', descending: false };
    return (await this.connection.call('scheduler', 'listSchedulers', request)).total;
  }

  /**
   * Removes a scheduler and its next job if that waits for its time; one that is ready or active still runs.
   *
   * @returns false if there was none
   */
  async removeJobScheduler(id: string): Promise<boolean> {
    const schedulerId = this.#schedulerId(id);
    const request = { queue: this.name, schedulerId, allowMissing: true };
    return (await this.connection.call('scheduler', 'removeScheduler', request)).removed;
  }

  /**
   * When a schedule would run; touches nothing. BullMQ has no such call.
   *
   * @returns the runs in order; fewer than asked for when the schedule ends
   * @throws InvalidRequest naming the field, of reason CRON_INVALID for a pattern or a zone
   */
  async previewSchedule(repeat: RepeatOptions, options: PreviewOptions = {}): Promise<Date[]> {
    checkNames(options, PREVIEW_NAMES, { field: 'options', what: 'an option of a preview' });
    const { count, after } = options;
    if (after !== undefined && Number.isNaN(after.getTime())) {
      throw invalid('after', 'is an invalid Date');
    }
    const schedule = encodeSchedule(repeat);
    const request = { schedule, count: uint32Of(count, 'count') ?? 0, after };
    return (await this.connection.call('scheduler', 'previewSchedule', request)).runs;
  }

  #schedulerId(id: unknown): string {
    const text = textOf(id, 'id');
    if (text === '') throw invalid('id', 'must not be empty');
    return text;
  }
}
