import { type ModelJob, type ModelQueue, takeOut } from './state.js';

const byId = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Puts a job where its priority says; to the front it runs next among its equals. */
export function enqueue(queue: ModelQueue, id: string, priority: number, toFront = false): void {
  if (priority === 0) {
    if (toFront) queue.wait.push(id);
    else queue.wait.unshift(id);
    return;
  }
  if (!toFront) queue.arrivals += 1;
  queue.prioritized.push({ id, priority, arrival: toFront ? 0 : queue.arrivals });
  queue.prioritized.sort(
    (a, b) => a.priority - b.priority || a.arrival - b.arrival || byId(a.id, b.id),
  );
}

/** The same millisecond keeps the order of arrival. */
export function delayUntil(queue: ModelQueue, id: string, due: number): void {
  const last = Math.max(
    -1,
    ...queue.delayed.map(({ score }) => score).filter((score) => Math.floor(score / 4096) === due),
  );
  putDelayed(queue, id, last < 0 ? due * 4096 : Math.min(last + 1, due * 4096 + 4095));
  queue.emit('delayed', id);
}

/** Puts an id among the delayed ones at a score. */
export function putDelayed(queue: ModelQueue, id: string, score: number): void {
  queue.delayed.push({ id, score });
  queue.delayed.sort((a, b) => a.score - b.score || byId(a.id, b.id));
}

/** When the first delayed job is due, 0 for none. */
export function nextDue({ delayed: [first] }: ModelQueue): number {
  return first ? Math.floor(first.score / 4096) : 0;
}

/** A new job goes where its delay and priority say. @returns the location's name */
export function placeJob(queue: ModelQueue, job: ModelJob, lifo: boolean): string {
  if (job.delay > 0) {
    delayUntil(queue, job.id, job.timestamp + job.delay);
    return 'delayed';
  }
  enqueue(queue, job.id, job.priority, job.priority === 0 && lifo);
  queue.emit('waiting', job.id);
  return job.priority > 0 ? 'prioritized' : 'waiting';
}

/** What is due goes where its priority says. */
export function promoteDue(queue: ModelQueue, now: number): number {
  const due = queue.delayed.filter(({ score }) => score <= (now + 1) * 4096 - 1);
  for (const { id } of due) {
    takeOut(queue.delayed, id);
    const job = queue.jobs.get(id);
    const priority = job?.priority ?? 0;
    enqueue(queue, id, priority, priority === 0 && job?.options.lifo === true);
    if (job) job.delay = 0;
    queue.emit('waiting', id);
  }
  return due.length;
}

/** The name of the one location that holds an id, which is taken out of it. */
export function leave(queue: ModelQueue, id: string): string {
  if (takeOut(queue.completed, id)) return 'completed';
  if (queue.waitingChildren.delete(id)) return 'waiting-children';
  for (const place of ['delayed', 'failed', 'prioritized', 'wait', 'active'] as const) {
    if (takeOut(queue[place], id)) return place;
  }
  return 'unknown';
}

/** Whether a location holds an id. */
export function holds(
  queue: ModelQueue,
  place: 'completed' | 'failed' | 'delayed',
  id: string,
): boolean {
  return queue[place].some((one) => one.id === id);
}

/** Whether nothing waits to run and nothing runs. */
export const isEmpty = ({ wait, active, prioritized }: ModelQueue): boolean =>
  wait.length + active.length + prioritized.length === 0;

/** Whether no job may be handed out. */
export const gateIsClosed = ({ paused, active, limits }: ModelQueue): boolean =>
  paused || active.length >= (limits.concurrency ?? Number.POSITIVE_INFINITY);
