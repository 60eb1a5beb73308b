import { endCancelled, forget } from './ends.js';
import { detach, dropJob, freeDeduplication, relink } from './family.js';
import { delayUntil, enqueue, holds, leave, promoteDue } from './places.js';
import { type ModelJob, type ModelQueue, takeOut } from './state.js';

const readyPlace = (job: ModelJob): string => (job.priority > 0 ? 'prioritized' : 'waiting');

/** Makes a delayed job ready now. */
export function promote(queue: ModelQueue, id: string): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  if (!takeOut(queue.delayed, id)) return 'JOB_NOT_IN_STATE';
  enqueue(queue, id, job.priority, job.priority === 0 && job.options.lifo === true);
  job.delay = 0;
  queue.emit('waiting', id);
  return readyPlace(job);
}

/** Moves what is due, and fetches nothing. */
export const promoteAll = (queue: ModelQueue, now: number): string =>
  String(promoteDue(queue, now));

/** Puts a delayed job off further, or less. */
export function changeDelay(queue: ModelQueue, id: string, delay: number, now: number): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  if (!takeOut(queue.delayed, id)) return 'JOB_NOT_IN_STATE';
  job.delay = delay;
  delayUntil(queue, id, now + delay);
  return String(now + delay);
}

/** Gives a job another priority, and its place. */
export function changePriority(
  queue: ModelQueue,
  id: string,
  priority: number,
  lifo: boolean,
): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  const stood = takeOut(queue.prioritized, id) || takeOut(queue.wait, id);
  job.priority = priority;
  if (stood) enqueue(queue, id, priority, lifo);
  return 'undefined';
}

/** Cancels a job: at once, or by its holder's next word. */
export function cancel(queue: ModelQueue, id: string, force: boolean, now: number): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  if (holds(queue, 'completed', id) || holds(queue, 'failed', id)) return 'JOB_NOT_IN_STATE';
  const runs = queue.active.includes(id);
  const token = runs ? (queue.locks.get(id) ?? '') : '';
  if (runs && !force) {
    job.cancel = String(job.processedOn ?? '');
    return `asked active ${token}`;
  }
  const location = leave(queue, id);
  if (location === 'unknown') return 'JOB_NOT_IN_STATE';
  queue.locks.delete(id);
  queue.stalled.delete(id);
  endCancelled(queue, job, now, runs ? undefined : location);
  return `failed ${location} ${token}`;
}

/** Whether a job is the run that its scheduler counts on next. */
export function isNextRun(queue: ModelQueue, job: ModelJob): boolean {
  const scheduler = job.scheduler === undefined ? undefined : queue.schedulers.get(job.scheduler);
  return scheduler !== undefined && job.id === `repeat:${job.scheduler}:${scheduler.due}`;
}

/** Removes a job, with its descendants if asked. */
export function remove(
  queue: ModelQueue,
  id: string,
  { force, children }: { readonly force: boolean; readonly children: boolean },
): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  if (isNextRun(queue, job)) return 'JOB_BELONGS_TO_SCHEDULER';
  const tree: Member[] = [{ id, pending: true }];
  if (children) descend(queue, id, tree);
  if (!force && tree.some((one) => one.pending && queue.locks.has(one.id))) return 'JOB_LOCKED';
  return (
    tree
      .reverse()
      .map((one) => removeWhole(queue, one.id))
      .at(-1) ?? 'unknown'
  );
}

interface Member {
  readonly id: string;
  readonly pending: boolean;
}

function descend(queue: ModelQueue, id: string, tree: Member[]): void {
  const down = (ids: Iterable<string>, pending: boolean) => {
    for (const child of ids) {
      if (tree.some((one) => one.id === child)) continue;
      tree.push({ id: child, pending });
      descend(queue, child, tree);
    }
  };
  down(queue.pending.get(id) ?? [], true);
  for (const map of [queue.unsuccessful, queue.ignored, queue.processed])
    down(map.get(id) ?? [], false);
}

function removeWhole(queue: ModelQueue, id: string): string {
  const job = queue.jobs.get(id);
  const location = leave(queue, id);
  queue.locks.delete(id);
  queue.stalled.delete(id);
  if (job) {
    detach(queue, job);
    freeDeduplication(queue, job);
    queue.emit('removed', id);
  }
  forget(queue, id);
  return location;
}

/** Removes the children that have not ended; running ones stay. */
export function removeUnprocessed(queue: ModelQueue, id: string): string {
  if (!queue.jobs.has(id)) return 'JOB_NOT_FOUND';
  // A job that was added under its own descendant is not among its children.
  const tree: Member[] = [{ id, pending: true }];
  for (const child of queue.pending.get(id) ?? []) {
    if (tree.some((one) => one.id === child)) continue;
    if (holds(queue, 'failed', child) || queue.locks.has(child)) continue;
    tree.push({ id: child, pending: true });
    descend(queue, child, tree);
  }
  const children = tree.slice(1).reverse();
  for (const one of children) removeWhole(queue, one.id);
  return String(children.length);
}

/** Cuts a child from its parent. */
export function cut(queue: ModelQueue, id: string, parent: string): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  if (!queue.jobs.has(parent)) return 'PARENT_JOB_NOT_FOUND';
  if (job.parent?.id !== parent || !queue.pending.get(parent)?.has(id)) return 'false';
  detach(queue, job);
  job.parent = undefined;
  return 'true';
}

/** Runs a finished job again. */
export function reprocess(
  queue: ModelQueue,
  id: string,
  state: 'completed' | 'failed',
  reset: boolean,
): string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  if (!takeOut(queue[state], id)) return 'JOB_NOT_IN_STATE';
  restart(job, state);
  if (reset) {
    job.made = 0;
    job.started = 0;
  }
  enqueue(queue, id, job.priority, job.priority === 0 && job.options.lifo === true);
  relink(queue, job, state);
  queue.emit('waiting', id);
  return readyPlace(job);
}

function restart(job: ModelJob, state: 'completed' | 'failed'): void {
  job.finishedOn = undefined;
  job.processedOn = undefined;
  if (state === 'failed') job.reason = undefined;
  else job.result = undefined;
}

/** Bulk retry of finished jobs, or bulk promotion. */
export function moveAll(
  queue: ModelQueue,
  state: 'completed' | 'failed' | 'delayed',
  limit: number,
): string {
  const ids = queue[state].slice(0, limit).map(({ id }) => id);
  for (const id of ids) takeOut(queue[state], id);
  for (const id of ids) {
    const job = queue.jobs.get(id);
    if (!job) continue;
    if (state === 'delayed') job.delay = 0;
    else {
      restart(job, state);
      relink(queue, job, state);
    }
    enqueue(queue, id, job.priority, job.priority === 0 && job.options.lifo === true);
    queue.emit('waiting', id);
  }
  return `${ids.length} ${ids.length === limit}`;
}

/** Removes all that waits to run. */
export function drain(queue: ModelQueue, delayed: boolean): string {
  let count = 0;
  const places = ['wait', 'prioritized', ...(delayed ? (['delayed'] as const) : [])] as const;
  for (const place of places) {
    const ids = queue[place].map((one) => (typeof one === 'string' ? one : one.id));
    for (const id of ids) {
      const job = queue.jobs.get(id);
      if (job && isNextRun(queue, job)) continue;
      takeOut(queue[place], id);
      dropJob(queue, id);
      if (job) freeDeduplication(queue, job);
      count += 1;
    }
  }
  return String(count);
}

const CLEANED = {
  completed: (queue: ModelQueue) => queue.completed.map(({ id }) => id),
  failed: (queue: ModelQueue) => queue.failed.map(({ id }) => id),
  waiting: (queue: ModelQueue) => [...queue.wait].reverse(),
  active: (queue: ModelQueue) => [...queue.active].reverse(),
  delayed: (queue: ModelQueue) => queue.delayed.map(({ id }) => id),
};

/** Locations that are cleaned. */
export type CleanedState = keyof typeof CLEANED;

/** Removes what is older than a moment. Running jobs and the next runs of schedulers stay. */
export function clean(
  queue: ModelQueue,
  state: CleanedState,
  olderThan: number,
  limit: number,
): string {
  const removed: string[] = [];
  for (const id of CLEANED[state](queue)) {
    const job = queue.jobs.get(id);
    if (!job || removed.length >= limit) continue;
    const since = job.finishedOn ?? job.processedOn ?? job.timestamp;
    if (since > olderThan || (state === 'active' && queue.locks.has(id))) continue;
    if (job.finishedOn === undefined && isNextRun(queue, job)) continue;
    leave(queue, id);
    dropJob(queue, id);
    freeDeduplication(queue, job);
    removed.push(id);
  }
  if (removed.length > 0) queue.emit('cleaned');
  return removed.join();
}

/** Closes and opens the gate. */
export function setPaused(queue: ModelQueue, paused: boolean): string {
  queue.paused = paused;
  queue.emit(paused ? 'paused' : 'resumed');
  return 'undefined';
}
