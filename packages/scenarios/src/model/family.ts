import { forget } from './ends.js';
import { enqueue, holds, putDelayed } from './places.js';
import {
  addTo,
  type Keep,
  type ModelJob,
  type ModelQueue,
  type Policy,
  takeFrom,
  takeOut,
} from './state.js';

interface Tie {
  readonly id: string;
  readonly policy: Policy;
}

/** A finished job among the others, by when and then by id. */
export function addFinished(list: { id: string; at: number }[], id: string, at: number): void {
  list.push({ id, at });
  list.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** What retention takes away goes without a word. */
export function trimFinished(
  queue: ModelQueue,
  set: { id: string; at: number }[],
  keep: Exclude<Keep, boolean>,
  now: number,
): void {
  const gone =
    typeof keep === 'number'
      ? set.slice(0, Math.max(0, set.length - keep))
      : set.filter(({ at }) => at <= now - keep.age * 1_000);
  for (const { id } of [...gone].reverse()) dropJob(queue, id);
  for (const { id } of gone) takeOut(set, id);
}

/** A job goes with all that hangs on it; its parent no longer waits for it. */
export function dropJob(queue: ModelQueue, id: string): void {
  const job = queue.jobs.get(id);
  if (job) detach(queue, job);
  forget(queue, id);
}

/** The job with this id, unless it has ended and is past the age for which its own options keep it. */
export function standing(
  queue: ModelQueue,
  id: string | undefined,
  now: number,
): ModelJob | undefined {
  const job = id === undefined ? undefined : queue.jobs.get(id);
  const { removeOnComplete, removeOnFail } = job?.options ?? {};
  const past = (set: { id: string; at: number }[], keep: Keep | undefined) =>
    typeof keep === 'object' &&
    set.some((one) => one.id === id && one.at <= now - keep.age * 1_000);
  const expired = past(queue.completed, removeOnComplete) || past(queue.failed, removeOnFail);
  return expired ? undefined : job;
}

/** Makes way for a new job with this id where an expired one has it. */
export function dropExpired(queue: ModelQueue, id: string, now: number): void {
  if (!queue.jobs.has(id) || standing(queue, id, now)) return;
  dropJob(queue, id);
  takeOut(queue.completed, id);
  takeOut(queue.failed, id);
}

/** A removed job frees its deduplication id, and whoever waited for that. */
export function freeDeduplication(queue: ModelQueue, job: ModelJob): void {
  if (job.dedup === undefined || queue.owners.get(job.dedup)?.id !== job.id) return;
  queue.owners.delete(job.dedup);
  queue.kept.delete(job.dedup);
}

/** The parent no longer waits for this child; without any other it runs next. */
export function detach(queue: ModelQueue, { id, parent }: ModelJob): void {
  if (!parent || !takeFrom(queue.pending, parent.id, id) || queue.pending.has(parent.id)) return;
  if (!queue.waitingChildren.delete(parent.id)) return;
  queue.wait.push(parent.id);
  queue.emit('waiting', parent.id);
}

/** The child's end is the parent's news. */
export function tellParentCompleted(
  queue: ModelQueue,
  child: ModelJob,
  tie: Tie,
  now: number,
): void {
  if (!takeFrom(queue.pending, tie.id, child.id)) return;
  addTo(queue.processed, tie.id, child.id);
  releaseIfReady(queue, tie.id, now);
}

/** The policy that the child came with says what its failure does; without one the parent goes on waiting. */
export function tellParentFailed(
  queue: ModelQueue,
  child: { readonly id: string },
  { id, policy }: Tie,
  now: number,
): void {
  if (policy === 'none' || !takeFrom(queue.pending, id, child.id)) return;
  if (policy === 'fpof') {
    failParent(queue, child.id, id, now);
    return;
  }
  if (policy !== 'rdof') addTo(queue.ignored, id, child.id);
  if (policy === 'cpof') release(queue, id, now);
  else releaseIfReady(queue, id, now);
}

function failParent(queue: ModelQueue, child: string, id: string, now: number): void {
  addTo(queue.unsuccessful, id, child);
  const parent = queue.jobs.get(id);
  if (!parent) return;
  const waited = queue.waitingChildren.delete(id);
  const delayed = !waited && takeOut(queue.delayed, id);
  if (!waited && !delayed && holds(queue, 'failed', id)) return;
  parent.deferred = `child ${child} failed`;
  if (delayed) parent.delay = 0;
  if (waited || delayed) moveOn(queue, parent, now);
}

function release(queue: ModelQueue, id: string, now: number): void {
  const parent = queue.jobs.get(id);
  if (parent && queue.waitingChildren.delete(id)) moveOn(queue, parent, now);
}

/** A parent without pending children goes on, if it waits at all. */
export function releaseIfReady(queue: ModelQueue, id: string, now: number): void {
  if (!queue.pending.has(id)) release(queue, id, now);
}

function moveOn(queue: ModelQueue, parent: ModelJob, now: number): void {
  if (parent.delay > 0) {
    putDelayed(queue, parent.id, (now + parent.delay) * 4096);
    queue.emit('delayed', parent.id);
    return;
  }
  enqueue(queue, parent.id, parent.priority, parent.priority === 0);
  queue.emit('waiting', parent.id);
}

/** A finished child runs again: its parent has not heard of it any more. */
export function relink(queue: ModelQueue, child: ModelJob, state: 'completed' | 'failed'): void {
  const parent = child.parent?.id;
  if (parent === undefined) return;
  const told =
    state === 'completed'
      ? [takeFrom(queue.processed, parent, child.id)]
      : [takeFrom(queue.unsuccessful, parent, child.id), takeFrom(queue.ignored, parent, child.id)];
  if (told.includes(true)) addTo(queue.pending, parent, child.id);
}

/** A job that exists comes under a parent that is added, or adds it, now. */
export function attach(queue: ModelQueue, child: ModelJob, tie: Tie, now: number): void {
  child.parent = tie;
  if (holds(queue, 'completed', child.id)) {
    addTo(queue.processed, tie.id, child.id);
    return;
  }
  addTo(queue.pending, tie.id, child.id);
  if (holds(queue, 'failed', child.id)) tellParentFailed(queue, child, tie, now);
}

/** Whether a job may come under this parent: not while it belongs to another one that lives. */
export const mayAttach = (queue: ModelQueue, child: ModelJob, parent: string): boolean =>
  !child.parent || child.parent.id === parent || !queue.jobs.has(child.parent.id);
