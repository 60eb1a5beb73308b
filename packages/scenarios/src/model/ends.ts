import { storeKept } from './adds.js';
import {
  addFinished,
  detach,
  tellParentCompleted,
  tellParentFailed,
  trimFinished,
} from './family.js';
import { type Keep, type ModelJob, type ModelQueue, takeOut } from './state.js';

/** How a job ends. `prev`: it did not run, so its run is not counted. */
export interface End {
  readonly target: 'completed' | 'failed';
  readonly value: string;
  readonly now: number;
  readonly prev?: string;
}

/** A job that has left its place has ended: its parent, its deduplication id, its retention. @returns attempts made */
export function recordEnd(queue: ModelQueue, job: ModelJob, end: End): number {
  const { target, value, now, prev } = end;
  if (job.dedup !== undefined) {
    const owner = queue.owners.get(job.dedup);
    if (owner && !owner.expires && owner.id === job.id) queue.owners.delete(job.dedup);
    storeKept(queue, job.dedup, now);
  }
  if (job.parent && target === 'failed') tellParentFailed(queue, job, job.parent, now);
  else if (job.parent) tellParentCompleted(queue, job, job.parent, now);
  const made = job.made + (prev === undefined ? 1 : 0);
  const keep = target === 'completed' ? job.options.removeOnComplete : job.options.removeOnFail;
  if (keep === true || keep === 0) {
    detach(queue, job);
    queue.jobs.delete(job.id);
    forget(queue, job.id);
  } else {
    job.made = made;
    job.finishedOn = now;
    if (target === 'completed') job.result = value;
    else {
      job.reason = value;
      job.deferred = undefined;
    }
    addFinished(queue[target], job.id, now);
    trim(queue, target, keep, now);
  }
  queue.emit(target, job.id);
  if (target === 'failed' && prev === undefined && made >= (job.options.attempts ?? 0)) {
    queue.emit('retries-exhausted', job.id);
  }
  if (!queue.limits.uncounted) queue.ends[target] += 1;
  return made;
}

function trim(
  queue: ModelQueue,
  target: 'completed' | 'failed',
  keep: Keep | undefined,
  now: number,
) {
  if (keep === undefined || keep === false || keep === true) return;
  trimFinished(queue, queue[target], keep, now);
}

/** All that hangs on a job goes with it. */
export function forget(queue: ModelQueue, id: string): void {
  queue.jobs.delete(id);
  for (const map of [queue.pending, queue.processed, queue.ignored, queue.unsuccessful])
    map.delete(id);
}

/** A job that is to be cancelled ends so, whatever its holder has to say. */
export function endCancelled(queue: ModelQueue, job: ModelJob, now: number, prev?: string): void {
  job.cancel = undefined;
  const end = { target: 'failed', value: 'cancelled', now } as const;
  recordEnd(queue, job, prev === undefined ? end : { ...end, prev });
}

/** Whether the job's present run is to be cancelled. */
export const isCancelled = ({ cancel, processedOn }: ModelJob): boolean =>
  cancel !== undefined && cancel === String(processedOn ?? '');

/** Whether the job's present run was only handed out so far. */
export const isUnbegun = ({ unbegun, processedOn }: ModelJob): boolean =>
  unbegun !== undefined && unbegun === processedOn;

/** The hold of a job ends: out of `active`, its lock and its mark go. */
export function leaveActive(queue: ModelQueue, id: string): void {
  takeOut(queue.active, id);
  queue.stalled.delete(id);
  queue.locks.delete(id);
}
