import {
  EchoMQError,
  type FetchOutcome,
  type Finish,
  type FinishOptions,
  type FinishOutcome,
  moveBatch,
  moveToFinished,
} from '@echomq/core';
import type { KeepJobs, WorkerOptions } from 'bullmq';
import { type EchoSite, NOW, type OracleCase } from '../oracle/oracle-case.js';
import { fetchedId, workerOf } from './fetches.js';
import { TOKEN } from './jobs.js';

/** How a run of job 1 ends, and for which worker. */
export interface End {
  /** A result for a completed job; absent for a failed one, which fails with `boom`. */
  readonly result?: unknown;
  readonly fetchNext?: boolean;
  readonly worker?: Partial<WorkerOptions>;
  readonly token?: string;
  /** Final whatever attempts are left. */
  readonly unrecoverable?: boolean;
}

/** What a failed run leaves in the job's stacks. */
export const STACK = 'Error: boom\n    at here';

/** How a finish goes to the store: as a script of its own, or as a batch of one. */
export type Carry = (site: EchoSite, finish: Finish) => Promise<{ readonly next: FetchOutcome }>;

const alone: Carry = ({ store, queue }, finish) => moveToFinished(store, queue, finish, NOW);

/** See {@link Carry}. */
export const inBatch: Carry = async ({ store, queue }, finish) => {
  const [moved] = await moveBatch(store, queue, [finish], { now: NOW });
  if (moved instanceof EchoMQError) throw moved;
  return moved as FinishOutcome;
};

/** An end of job 1 by its worker. */
export function finishCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  end: End,
  carry: Carry = alone,
): OracleCase {
  const { fetchNext = false, worker = {}, token = TOKEN } = end;
  const completes = 'result' in end;
  return {
    name,
    seed,
    echomq: async (site) => {
      const { next } = await carry(site, {
        jobId: '1',
        target: completes ? 'completed' : 'failed',
        value: completes ? (JSON.stringify(end.result) ?? 'null') : 'boom',
        fetchNext,
        options: optionsOf(end),
      });
      return fetchedId(next);
    },
    bullmq: async (site) => {
      const job = await site.job('1', worker);
      const next = completes
        ? await job.moveToCompleted(end.result, token, fetchNext)
        : await job.moveToFailed(failure(end), token, fetchNext);
      return (Array.isArray(next) && next[1]) || null;
    },
  };
}

function optionsOf(end: End): FinishOptions {
  const { worker = {}, token = TOKEN } = end;
  const completes = 'result' in end;
  const keep = keepOf(completes ? worker.removeOnComplete : worker.removeOnFail);
  return {
    ...workerOf(worker, token),
    ...(keep ? { defaultKeep: keep } : {}),
    ...(completes
      ? {}
      : { retry: { mode: end.unrecoverable ? 'NEVER' : 'DEFAULT' }, stack: STACK, stackLimit: 10 }),
  };
}

function keepOf(option: WorkerOptions['removeOnComplete']) {
  if (option === undefined) return undefined;
  if (typeof option === 'boolean') return { count: option ? 0 : -1 };
  return typeof option === 'number' ? { count: option } : (option as KeepJobs & { count?: number });
}

function failure(end: End): Error {
  const error = new Error('boom');
  error.stack = STACK;
  if (end.unrecoverable) error.name = 'UnrecoverableError';
  return error;
}
