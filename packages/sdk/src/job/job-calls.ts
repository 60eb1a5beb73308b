import type { Connection } from '../connection.js';
import { durationOf, uint32Of } from '../payload/numbers.js';
import { decodeState, encodeState, type JobState } from './job-state.js';

/** Names a job in calls. */
export interface JobName {
  readonly queue: string;
  readonly jobId: string;
}

/** How a job is made ready again. */
export interface RetryOptions {
  /** The state that it must be in; `failed` by default. */
  readonly state?: 'completed' | 'failed';
  /** Forgets the attempts made. */
  readonly resetAttempts?: boolean;
}

/** How a job is removed. */
export interface RemoveOptions {
  /** Also while it is active: its worker loses the lease. */
  readonly force?: boolean;
  /** Its children too. */
  readonly removeChildren?: boolean;
}

/** How a job is cancelled. */
export interface CancelOptions {
  /** Fails an active job at once, without its worker: that loses the lease. */
  readonly force?: boolean;
}

/** What became of a cancel. */
export interface CancelOutcome {
  /**
   * The job has failed, or the worker that holds it is told: at once, or at the latest when it renews its lease. False
   * when BullMQ's worker holds it, or nobody does that could be told: a sweep fails it then.
   */
  readonly delivered: boolean;
  /** `failed`, or `active` until the worker that holds the job has come to its end. */
  readonly state: JobState;
}

/** Which priority a job is to have. */
export interface PriorityOptions {
  /** 0 (none, runs first; the default) to 2,097,151 (last). */
  readonly priority?: number;
  /** First among its equals. */
  readonly lifo?: boolean;
}

/** Where a job is. @throws JobNotFound */
export async function readState(connection: Connection, job: JobName): Promise<JobState> {
  return decodeState((await connection.call('queue', 'getJobState', job)).state);
}

/** Makes a delayed job ready. @throws JobNotFound, JobNotInState */
export async function promoteJob(connection: Connection, job: JobName): Promise<void> {
  await connection.call('queue', 'promoteJob', job);
}

/** Makes a finished job ready again. @throws JobNotFound, JobNotInState */
export async function retryJob(
  connection: Connection,
  job: JobName,
  { state = 'failed', resetAttempts = false }: RetryOptions,
): Promise<void> {
  const request = { ...job, state: encodeState(state, 'state'), resetAttempts };
  await connection.call('queue', 'retryJob', request);
}

/** Removes a job; false if there is none. @throws EchoMQError of reason JOB_LOCKED, JOB_BELONGS_TO_SCHEDULER */
export async function removeJob(
  connection: Connection,
  job: JobName,
  { force = false, removeChildren = false }: RemoveOptions,
): Promise<boolean> {
  const request = { ...job, force, removeChildren, allowMissing: true };
  return (await connection.call('queue', 'removeJob', request)).removed;
}

/** Ends a job as failed with the reason `cancelled`. @throws JobNotFound, JobNotInState */
export async function cancelJob(
  connection: Connection,
  job: JobName,
  { force = false }: CancelOptions,
): Promise<CancelOutcome> {
  const { delivered, state } = await connection.call('queue', 'cancelJob', { ...job, force });
  return { delivered, state: decodeState(state) };
}

/** Changes the priority of a job that has not finished. @throws InvalidRequest, JobNotFound, JobNotInState */
export async function changePriority(
  connection: Connection,
  job: JobName,
  { priority = 0, lifo = false }: PriorityOptions,
): Promise<void> {
  const request = { ...job, priority: uint32Of(priority, 'priority') ?? 0, lifo };
  await connection.call('queue', 'updateJobPriority', request);
}

/** Changes when a delayed job becomes ready. @throws InvalidRequest, JobNotFound, JobNotInState */
export async function changeDelay(
  connection: Connection,
  job: JobName,
  delayMs: number,
): Promise<void> {
  const request = { ...job, delay: durationOf(delayMs, 'delay') };
  await connection.call('queue', 'updateJobDelay', request);
}
