import { invalid } from '../errors.js';
import { decodeState, encodeState, type JobState } from '../job/job-state.js';
import { uint32Of } from '../payload/numbers.js';
import { QueueBase } from './queue-base.js';

/** The states of jobs that are not at work and not finished. */
const WAITING_STATES = ['waiting', 'prioritized', 'delayed', 'waiting-children'] as const;

/** How many jobs are where. An unknown queue has none. */
export abstract class QueueCounts extends QueueBase {
  /** How many jobs are in each of the states, all at one instant; without arguments in all of them. */
  async getJobCounts(...states: JobState[]): Promise<Record<JobState, number>> {
    const { counts } = await this.connection.call('queue', 'getJobCounts', {
      queue: this.name,
      states: states.map((state) => encodeState(state)),
    });
    return Object.fromEntries(
      counts.map(({ state, count }) => [decodeState(state), count]),
    ) as Record<JobState, number>;
  }

  /** How many jobs are in the states together; without arguments in all of them. */
  async getJobCountByTypes(...states: JobState[]): Promise<number> {
    const counts = await this.getJobCounts(...states);
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** How many jobs are still to be run: ready, prioritized, delayed or waiting for children. */
  count(): Promise<number> {
    return this.getJobCountByTypes(...WAITING_STATES);
  }

  /** How many jobs are ready and have no priority, those of a paused queue too. */
  getWaitingCount(): Promise<number> {
    return this.getJobCountByTypes('waiting');
  }

  /** How many jobs are ready and have a priority. */
  getPrioritizedCount(): Promise<number> {
    return this.getJobCountByTypes('prioritized');
  }

  /**
   * How many jobs wait for their time.
   *
   * @param timestamp only those that are due before it, ms since the epoch; absent: all
   * @throws InvalidRequest naming `timestamp`
   */
  async getDelayedCount(timestamp?: number): Promise<number> {
    if (timestamp === undefined) return this.getJobCountByTypes('delayed');
    const dueBefore = new Date(timestamp);
    if (Number.isNaN(dueBefore.getTime())) throw invalid('timestamp', 'is no time in ms');
    const request = { queue: this.name, states: [encodeState('delayed')], dueBefore };
    const { counts } = await this.connection.call('queue', 'getJobCounts', request);
    return counts[0]?.count ?? 0;
  }

  /** How many jobs workers hold. */
  getActiveCount(): Promise<number> {
    return this.getJobCountByTypes('active');
  }

  /** How many jobs wait for their children. */
  getWaitingChildrenCount(): Promise<number> {
    return this.getJobCountByTypes('waiting-children');
  }

  /** How many completed jobs are kept. */
  getCompletedCount(): Promise<number> {
    return this.getJobCountByTypes('completed');
  }

  /** How many failed jobs are kept. */
  getFailedCount(): Promise<number> {
    return this.getJobCountByTypes('failed');
  }

  /**
   * How many ready jobs there are of each priority.
   *
   * @param priorities at most 1,000; 0: those without one
   * @throws InvalidRequest naming the priority that cannot be one
   */
  async getCountsPerPriority(priorities: readonly number[]): Promise<Record<number, number>> {
    const { counts } = await this.connection.call('queue', 'getCountsPerPriority', {
      queue: this.name,
      priorities: priorities.map((each, index) => uint32Of(each, `priorities[${index}]`) ?? 0),
    });
    return Object.fromEntries(counts.map(({ priority, count }) => [priority, count]));
  }
}
