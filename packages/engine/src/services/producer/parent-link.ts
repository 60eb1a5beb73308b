import { EchoMQError, type NewJob } from '@echomq/core';
import type { JobRef, ParentFailurePolicy } from '@echomq/proto/messages';
import type { OptionsLink } from '../../messages/job-options.js';
import { policyFlag } from '../../messages/merge-options.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { jobId } from '../../validation/job-id.js';

/** A parent as the add stores it: in the job's fields and in its options. */
export interface ParentLink {
  readonly job: NonNullable<NewJob['parent']>;
  readonly options: OptionsLink;
}

/**
 * The link from a new job to the parent that is to wait for it.
 *
 * @param field the path of the reference in the request.
 * @throws InvalidRequest for a bad reference; EchoMQError CROSS_SLOT where one script cannot reach both.
 */
export function parentLink(
  { names, store }: Pick<EngineDeps, 'names' | 'store'>,
  child: { readonly queue: NamedQueue; readonly policy: ParentFailurePolicy | undefined },
  parent: JobRef,
  field: string,
): ParentLink {
  const queue = names.resolve(parent.queue, `${field}.queue`);
  const id = jobId(parent.jobId, `${field}.job_id`);
  if (store.redis.cluster && hashTag(queue) !== hashTag(child.queue)) {
    throw crossSlot('a job and its parent', field);
  }
  return linkTo(queue, id, child.policy);
}

/** The link to a parent that is known to be within reach. */
export function linkTo(
  { keys }: NamedQueue,
  id: string,
  policy: ParentFailurePolicy | undefined,
): ParentLink {
  const queueKey = keys.base.slice(0, -1);
  const flag = policyFlag(policy);
  return {
    job: {
      key: keys.job(id),
      json: JSON.stringify({ id, queueKey, ...(flag ? { [flag]: true } : {}) }),
    },
    options: { id, queue: queueKey },
  };
}

/** The error for keys that no single script may touch in a cluster. Nothing was written. */
export function crossSlot(what: string, field: string): EchoMQError {
  return new EchoMQError(`${what} must stand in one slot of the cluster: give them one hash tag`, {
    code: 'FAILED_PRECONDITION',
    reason: 'CROSS_SLOT',
    metadata: { field },
  });
}

/** What the cluster hashes of a queue's keys: the text in the first braces. */
export function hashTag({ keys }: NamedQueue): string {
  return /\{([^}]+)\}/.exec(keys.base)?.[1] ?? keys.base;
}
