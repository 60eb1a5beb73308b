import * as pb from '@echomq/proto/messages';
import { QueueNotFound } from '../errors.js';
import {
  type CancelOptions,
  type CancelOutcome,
  cancelJob,
  promoteJob,
  type RemoveOptions,
  type RetryOptions,
  removeJob,
  retryJob,
} from '../job/job-calls.js';
import { encodeState, type JobState } from '../job/job-state.js';
import { durationOf, uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';
import { inParts, PART_TIMEOUT_MS, partSize } from './in-parts.js';
import {
  type InspectOptions,
  inspectQueue,
  type QueueFault,
  type QueueRepair,
  repairQueue,
} from './inspection.js';
import { QueueControl } from './queue-control.js';

/** Which jobs are made ready, and how. */
export interface PromoteJobsOptions {
  /** Jobs of one call, 1 to 10,000; 1,000 by default. All are made ready, whatever it is. */
  readonly count?: number;
  /** Only jobs of this name. BullMQ's has no such bound. */
  readonly name?: string;
  /** Told after each call how many were made ready so far. */
  readonly onProgress?: (moved: number) => void;
}

/** Which finished jobs are made ready again, and how. */
export interface RetryJobsOptions extends PromoteJobsOptions {
  /** The state that they are in; `failed` by default. */
  readonly state?: 'completed' | 'failed';
  /** Only jobs that finished at least so many ms ago; in the place of BullMQ's `timestamp`. */
  readonly olderThan?: number;
  /** Forgets the attempts made. */
  readonly resetAttempts?: boolean;
}

/** How a queue is removed. */
export interface ObliterateOptions {
  /** Also while jobs are active: their workers lose them. */
  readonly force?: boolean;
  /** Jobs of one call, 1 to 10,000; 1,000 by default. */
  readonly count?: number;
}

/** Moves and removes jobs, one by one and many at once; long changes part by part, so that others are served. */
export abstract class QueueBulk<Data = unknown, Result = unknown> extends QueueControl<
  Data,
  Result
> {
  /** Makes a delayed job ready. @throws JobNotFound, JobNotInState */
  async promote(id: string): Promise<void> {
    return promoteJob(this.connection, this.jobName(id));
  }

  /** Makes a finished job ready again, a failed one unless `state` says otherwise. @throws JobNotFound, JobNotInState */
  async retryJob(id: string, options: RetryOptions = {}): Promise<void> {
    return retryJob(this.connection, this.jobName(id), options);
  }

  /** Cancels a job; see `Job.cancel`. @throws JobNotFound, JobNotInState */
  async cancel(id: string, options: CancelOptions = {}): Promise<CancelOutcome> {
    return cancelJob(this.connection, this.jobName(id), options);
  }

  /** Removes a job; see `Job.remove`. Returns false if there is none. */
  async remove(id: string, options: RemoveOptions = {}): Promise<boolean> {
    return removeJob(this.connection, this.jobName(id), options);
  }

  /** Makes all delayed jobs ready. Returns how many. @throws InvalidRequest, QueueNotFound */
  async promoteJobs(options: PromoteJobsOptions = {}): Promise<number> {
    const { count, name = '', onProgress } = options;
    const limit = partSize(count, 'count');
    const request = { queue: this.name, nameFilter: textOf(name, 'name'), limit };
    return inParts(
      (cursor) => this.connection.call('queue', 'promoteJobs', { ...request, cursor }, LONG),
      onProgress,
    );
  }

  /**
   * Makes all finished jobs of a state ready again. One that fails again meanwhile is left alone.
   *
   * @returns how many
   * @throws InvalidRequest, QueueNotFound
   */
  async retryJobs(options: RetryJobsOptions = {}): Promise<number> {
    const { state = 'failed', count, name = '', olderThan, resetAttempts = false } = options;
    const request = {
      queue: this.name,
      state: encodeState(state, 'state'),
      nameFilter: textOf(name, 'name'),
      olderThan: olderThan === undefined ? undefined : durationOf(olderThan, 'olderThan'),
      limit: partSize(count, 'count'),
      resetAttempts,
    };
    return inParts(
      (cursor) => this.connection.call('queue', 'retryJobs', { ...request, cursor }, LONG),
      options.onProgress,
    );
  }

  /**
   * Removes all jobs that are ready, in one step; the next runs of schedulers stay.
   *
   * @param delayed also those that wait for their time
   * @returns how many
   * @throws QueueNotFound
   */
  async drain(delayed = false): Promise<number> {
    const request = { queue: this.name, includeDelayed: delayed };
    return (await this.connection.call('queue', 'drainQueue', request, LONG)).removed;
  }

  /**
   * Removes old jobs of one state.
   *
   * @param grace only jobs that are at least so many ms old: since their end, else since their add
   * @param limit at most so many; 0: all
   * @param state active ones only where their lock is gone; parents that others need are never removed
   * @returns their ids
   * @throws InvalidRequest, QueueNotFound
   */
  async clean(grace: number, limit = 0, state: JobState = 'completed'): Promise<string[]> {
    durationOf(grace, 'grace');
    const most = uint32Of(limit, 'limit') || Number.POSITIVE_INFINITY;
    const request = { queue: this.name, state: encodeState(state, 'state') };
    const began = performance.now();
    const ids: string[] = [];
    for (let more = true; more && ids.length < most; ) {
      // What has become old enough since the call began is none of its business: it would never end.
      const olderThan = pb.msToDuration(grace + (performance.now() - began));
      const part = { ...request, olderThan, limit: Math.min(CLEAN_PART, most - ids.length) };
      const done = await this.connection.call('queue', 'cleanQueue', part, LONG);
      ids.push(...done.jobIds);
      more = done.more;
    }
    return ids;
  }

  /**
   * Removes the queue with all that belongs to it. It is paused first, and stays so where the removal is refused.
   *
   * @throws EchoMQError of reason QUEUE_HAS_ACTIVE_JOBS without `force`; QUEUE_NOT_PAUSED when somebody resumes it
   */
  async obliterate({ force = false, count }: ObliterateOptions = {}): Promise<void> {
    const limit = partSize(count, 'count');
    await this.pause();
    const request = { queue: this.name, confirmQueue: this.name, force, limit };
    for (let first = true, done = false; !done; first = false) {
      try {
        done = (await this.connection.call('queue', 'obliterateQueue', request, LONG)).done;
      } catch (error) {
        // Somebody else has removed the rest.
        if (first || !(error instanceof QueueNotFound)) throw error;
        done = true;
      }
    }
  }

  /**
   * Looks for what is broken in the queue, part by part, and changes nothing; work may go on meanwhile. BullMQ has no
   * such call.
   *
   * @example const repairs = await queue.repair(await queue.inspect());
   * @throws QueueNotFound
   */
  inspect(options: InspectOptions = {}): Promise<QueueFault[]> {
    return inspectQueue(this.connection, this.name, options);
  }

  /**
   * Mends what {@link inspect} has found, each fault by itself and only if it still is; work may go on meanwhile.
   *
   * @returns what was done, in the order of the faults
   * @throws QueueNotFound, InvalidRequest
   */
  repair(faults: readonly QueueFault[]): Promise<QueueRepair[]> {
    return repairQueue(this.connection, this.name, faults);
  }
}

const LONG = { timeoutMs: PART_TIMEOUT_MS };

/** Removals of one call: the ids have to fit into its answer. */
const CLEAN_PART = 1_000;
