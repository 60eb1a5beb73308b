import { EchoMQError, InvalidRequest, updateJobOptions as update } from '@echomq/core';
import type { JobOptions } from '@echomq/proto/messages';
import { encodeOptions } from '../../messages/job-options.js';
import { mergedOptions, parentWithPolicy } from '../../messages/merge-options.js';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { type NamedJob, namedJob, type QueueDeps } from './named-job.js';
import { isWrongType } from './stored-jobs.js';
import { withStates } from './with-states.js';

/** Tries before the call gives way to others who write the same options. */
const TRIES = 20;

const UNFINISHED = ['waiting', 'prioritized', 'delayed', 'active', 'waiting-children'] as const;

/**
 * QueueService.UpdateJobOptions. The stored text is read, changed and written back if it is still the same: members
 * that are not set stay byte for byte, and a job that has been removed is not made again.
 */
export function updateJobOptions(deps: QueueDeps): QueueApi['updateJobOptions'] {
  return writeMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    const { options } = request;
    if (!options) throw new InvalidRequest('options', 'is missing');
    refuseFixed(options);
    const set = Buffer.from(encodeOptions(options, 'options'));
    for (let tries = 0; tries < TRIES; tries++) {
      const { opts, parent } = await readTexts(deps, job);
      const withPolicy = parent && parentWithPolicy(parent, options.parentFailurePolicy);
      const change = {
        jobId: job.id,
        opts: mergedOptions(opts, set, options),
        ...(opts ? { readOpts: opts } : {}),
        ...(withPolicy ? { parent: withPolicy } : {}),
        ...(parent ? { readParent: parent } : {}),
      };
      const done = await withStates(deps, job, UNFINISHED, () =>
        update(deps.store, job.queue.keys, change),
      );
      if (done) return {};
    }
    throw new EchoMQError('others change the options of this job all the time', {
      code: 'UNAVAILABLE',
      reason: 'BACKEND_UNAVAILABLE',
      retryable: true,
      retryAfterMs: 100,
    });
  });
}

/** What stands in other places than the options too, and has rpcs of its own. */
function refuseFixed(options: JobOptions): void {
  const fixed = [
    [options.jobId, 'job_id'],
    [options.due, 'due'],
    [options.priority, 'priority'],
    [options.deduplication, 'deduplication'],
  ] as const;
  for (const [value, field] of fixed) {
    const set = value !== undefined && value !== '';
    if (set) throw new InvalidRequest(`options.${field}`, 'cannot be changed here');
  }
}

async function readTexts(
  { store }: QueueDeps,
  { queue, id }: NamedJob,
): Promise<{ readonly opts: Buffer | undefined; readonly parent: Buffer | undefined }> {
  try {
    const reply = await store.command('HMGET', [queue.keys.job(id), 'opts', 'parent']);
    const [opts, parent] = reply as (Buffer | null)[];
    return { opts: opts ?? undefined, parent: parent ?? undefined };
  } catch (error) {
    if (isWrongType(error)) throw jobNotFound(queue, id);
    throw error;
  }
}
