import { addJob, type NewJob, OPTION_FIELDS } from '@echomq/core';
import type { JobSeed, QueueState } from '@echomq/testkit';
import type { JobsOptions } from 'bullmq';
import { NOW, type OracleCase, type QueueNames, type SeedStates } from '../oracle/oracle-case.js';

/** `meta` as BullMQ's Queue leaves it; where it is missing the first trimmed event writes it. */
export const META = { 'opts.maxLenEvents': '10000' };

/** What every case's job carries; a slash and a fraction show a pass through another encoder. */
export const DATA = { to: 'a/b', n: 0.1 };

/** Long names of BullMQ's options that are stored under short ones. */
const SHORT: Readonly<Record<string, string>> = OPTION_FIELDS;

/** A job's options as BullMQ's producer stores them. */
export function storedOptions(options: JobsOptions): Record<string, unknown> {
  const { backoff, attempts = 0, ...rest } = options;
  const stored: Record<string, unknown> = { attempts };
  for (const [name, value] of Object.entries(rest)) stored[SHORT[name] ?? name] = value;
  if (backoff !== undefined) {
    stored.backoff = typeof backoff === 'number' ? { type: 'fixed', delay: backoff } : backoff;
  }
  return stored;
}

/** A job for EchoMQ from BullMQ's options. */
export function newJob(options: JobsOptions, data: unknown = DATA): NewJob {
  const { jobId, parent, deduplication, delay, priority, lifo, timestamp = NOW } = options;
  return {
    name: 'send',
    data: JSON.stringify(data),
    opts: JSON.stringify(storedOptions(options)),
    timestamp,
    ...(jobId === undefined ? {} : { customId: jobId }),
    ...(delay === undefined ? {} : { delay }),
    ...(priority === undefined ? {} : { priority }),
    ...(lifo === undefined ? {} : { lifo }),
    ...(parent
      ? { parent: { key: `${parent.queue}:${parent.id}`, json: parentJson(options) } }
      : {}),
    ...(deduplication
      ? { deduplication: deduplication as NonNullable<NewJob['deduplication']> }
      : {}),
  };
}

/** The `parent` field of a child's hash. */
export function parentJson(options: JobsOptions): string {
  const { parent } = options;
  const policy = Object.entries(storedOptions(options)).filter(([name]) =>
    ['fpof', 'cpof', 'idof', 'rdof'].includes(name),
  );
  return JSON.stringify({
    id: parent?.id,
    queueKey: parent?.queue,
    ...Object.fromEntries(policy),
  });
}

/** Options or a seed that name a case's queues. */
type From<T> = T | ((names: QueueNames) => T);

/** An add of one job, with the same options on both sides. Compares the id, too. */
export function addCase(
  name: string,
  options: From<JobsOptions>,
  seed?: From<SeedStates>,
): OracleCase {
  return {
    name,
    ...(seed ? { seed: (names) => resolve(seed, names) } : {}),
    echomq: async ({ store, queue, names }) =>
      (await addJob(store, queue, newJob(resolve(options, names)))).jobId,
    bullmq: async ({ queue, names }) => (await queue.add('send', DATA, resolve(options, names))).id,
  };
}

function resolve<T>(value: From<T>, names: QueueNames): T {
  return typeof value === 'function' ? (value as (names: QueueNames) => T)(names) : value;
}

/** A stored job of name `send`, added a minute before the case. */
export function stored(fields: JobSeed = {}): JobSeed {
  return { name: 'send', data: DATA, opts: { attempts: 0 }, timestamp: NOW - 60_000, ...fields };
}

/** A stored job that a worker has; `ats` 1. */
export function running(fields: JobSeed = {}): JobSeed {
  return stored({ ats: 1, processedOn: NOW - 1_000, ...fields });
}

/** The token that running jobs are locked with. */
export const TOKEN = 'token-1';

/** A queue in which a worker runs job 1. */
export function oneRunning(fields: JobSeed = {}, more: QueueState = {}): QueueState {
  const { jobs = {}, locks = {}, ...rest } = more;
  return {
    meta: META,
    active: ['1'],
    jobs: { 1: running(fields), ...jobs },
    locks: { 1: TOKEN, ...locks },
    ...rest,
  };
}

/** The `parent` and `parentKey` of a child. */
export function childOf(queueKey: string, id: string, policy: object = {}): JobSeed {
  return { parentKey: `${queueKey}:${id}`, parent: { id, queueKey, ...policy } };
}
