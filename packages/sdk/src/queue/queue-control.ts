import { invalid } from '../errors.js';
import { addLog, setProgress } from '../job/job-writes.js';
import { durationOf, uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';
import { QueueGetters } from './queue-getters.js';
import type { QueueLimits } from './queue-meta.js';

/** Opens and shuts a queue, and bounds it. What is set counts for all workers, also those of BullMQ. */
export abstract class QueueControl<Data = unknown, Result = unknown> extends QueueGetters<
  Data,
  Result
> {
  /** Stops handing out jobs, for all workers; those at work go on. */
  async pause(): Promise<void> {
    await this.connection.call('queue', 'pauseQueue', { queue: this.name });
  }

  /** Hands out jobs again. */
  async resume(): Promise<void> {
    await this.connection.call('queue', 'resumeQueue', { queue: this.name });
  }

  /** Bounds how many jobs may be active at once over all workers. @throws InvalidRequest for less than 1 */
  async setGlobalConcurrency(concurrency: number): Promise<void> {
    const max = atLeastOne(concurrency, 'concurrency');
    await this.connection.call('queue', 'setConcurrency', { queue: this.name, max });
  }

  /** Any number of jobs may be active at once again. */
  async removeGlobalConcurrency(): Promise<void> {
    await this.connection.call('queue', 'setConcurrency', { queue: this.name, max: undefined });
  }

  /**
   * At most so many jobs begin in such a span, over all workers.
   *
   * @param max jobs
   * @param duration the span, in ms
   * @throws InvalidRequest naming what is out of range
   */
  async setGlobalRateLimit(max: number, duration: number): Promise<void> {
    const span = durationOf(duration, 'duration');
    const rateLimit = { max: atLeastOne(max, 'max'), duration: span };
    await this.connection.call('queue', 'setRateLimit', { queue: this.name, rateLimit });
  }

  /** Removes the limit, and lets a queue go that is held by it or by a worker's `rateLimit`. */
  async removeGlobalRateLimit(): Promise<void> {
    await this.connection.call('queue', 'clearRateLimit', {
      queue: this.name,
      keepLimit: false,
    });
  }

  /**
   * Holds the queue: no job begins for so long, at whichever worker. Those at work go on.
   *
   * @param expireTimeMs ms from now, at least 1
   * @throws InvalidRequest naming `expireTimeMs`
   */
  async rateLimit(expireTimeMs: number): Promise<void> {
    const duration = durationOf(expireTimeMs, 'expireTimeMs');
    await this.connection.call('queue', 'holdQueue', { queue: this.name, duration });
  }

  /** Lets a queue go that is held by {@link rateLimit}, a worker's or its limit; that stays, and counts anew. */
  async removeRateLimitKey(): Promise<void> {
    await this.connection.call('queue', 'clearRateLimit', { queue: this.name, keepLimit: true });
  }

  /**
   * Sets the bounds of the queue, all of them: what is absent is no longer bounded by the queue. BullMQ has the number
   * of events only, as an option of its Queue.
   *
   * @throws InvalidRequest naming the bound that is out of range
   */
  async setLimits({ maxPayloadBytes, maxJobs, maxEvents }: QueueLimits): Promise<void> {
    const limits = {
      maxPayloadBytes: uint32Of(maxPayloadBytes, 'maxPayloadBytes'),
      maxJobs: uint32Of(maxJobs, 'maxJobs'),
      maxEvents: uint32Of(maxEvents, 'maxEvents'),
    };
    await this.connection.call('queue', 'setQueueLimits', { queue: this.name, limits });
  }

  /** Sets the progress of a job by its id; see `Job.updateProgress`. @throws InvalidRequest, JobNotFound */
  async updateJobProgress(id: string, progress: unknown): Promise<void> {
    await setProgress(this.connection, this.jobName(id), progress);
  }

  /**
   * Appends a line to a job's log by its id; see `Job.log`.
   *
   * @param keepLogs lines that stay, the newest; absent: as the job's options say
   * @returns how many lines there are now
   * @throws InvalidRequest, JobNotFound
   */
  addJobLog(id: string, row: string, keepLogs?: number): Promise<number> {
    return addLog(this.connection, this.jobName(id), { text: `${row}`, keep: keepLogs });
  }

  /**
   * Frees a deduplication id; the job that held it stays.
   *
   * @returns whether it was taken, where BullMQ's answers 1 or 0
   * @throws InvalidRequest, QueueNotFound
   */
  async removeDeduplicationKey(id: string): Promise<boolean> {
    const request = { queue: this.name, deduplicationId: textOf(id, 'id') };
    return (await this.connection.call('queue', 'removeDeduplicationKey', request)).removed;
  }

  /** Removes old events, so that just `maxLength` stay. Returns how many went. @throws QueueNotFound */
  async trimEvents(maxLength: number): Promise<number> {
    const maxEvents = uint32Of(maxLength, 'maxLength') ?? 0;
    const request = { queue: this.name, maxEvents };
    return (await this.connection.call('queue', 'trimEvents', request)).removed;
  }
}

function atLeastOne(value: number, field: string): number {
  const count = uint32Of(value, field) ?? 0;
  if (count < 1) throw invalid(field, 'must be at least 1');
  return count;
}
