import { newJob } from './adds.js';
import { forget } from './ends.js';
import { dropJob, freeDeduplication } from './family.js';
import { placeJob } from './places.js';
import { type ModelQueue, type ModelSchedule, takeOut } from './state.js';

/** Creates a schedule or sets it anew; a run ahead that has not begun is replaced. */
export function upsert(queue: ModelQueue, scheduler: string, every: number, now: number): string {
  const known = queue.schedulers.get(scheduler);
  const oldId = known && `repeat:${scheduler}:${known.due}`;
  const ahead = oldId !== undefined && waits(queue, oldId);
  const same = known?.every === every;
  let due = same ? following({ ...known, offset: 0 }, now) : now;
  if (ahead && same) due = known.due;
  const offset = due % every;
  const taken = (moment: number) => {
    const id = `repeat:${scheduler}:${moment}`;
    return queue.jobs.has(id) && !(ahead && id === oldId);
  };
  for (let tries = 0; taken(due); tries += 1, due += every) {
    if (tries === 32) return 'SCHEDULER_JOB_SLOTS_BUSY';
  }
  if (ahead) replace(queue, oldId);
  queue.schedulers.set(scheduler, { due, every, offset, runs: known?.runs ?? 1 });
  return addRun(queue, scheduler, due, now);
}

/** The taken run brings the next. */
export function follow(queue: ModelQueue, scheduler: string, run: string, now: number): string {
  const known = queue.schedulers.get(scheduler);
  if (!known || run !== `repeat:${scheduler}:${known.due}`) return 'undefined';
  known.due = following(known, now);
  known.runs += 1;
  const id = `repeat:${scheduler}:${known.due}`;
  if (!queue.jobs.has(id)) return addRun(queue, scheduler, known.due, now);
  queue.emit('duplicated', id);
  return `${id} ${Math.max(0, known.due - now)} ${known.due}`;
}

/** Removes a schedule and its run ahead while that is delayed. */
export function unschedule(queue: ModelQueue, scheduler: string): string {
  const known = queue.schedulers.get(scheduler);
  if (!known) return 'false';
  const id = `repeat:${scheduler}:${known.due}`;
  if (takeOut(queue.delayed, id)) {
    forget(queue, id);
    queue.emit('removed', id);
  }
  queue.schedulers.delete(scheduler);
  return 'true';
}

/** The slot after the last; after a gap the next one that lies ahead, in the schedule's own rhythm. */
function following({ due: last, every, offset }: ModelSchedule, now: number): number {
  const due = last + every;
  if (due >= now) return due;
  const slot = Math.floor(now / every) * every + offset;
  return slot <= now ? slot + every : slot;
}

function waits(queue: ModelQueue, id: string): boolean {
  return (
    queue.wait.includes(id) ||
    queue.prioritized.some((one) => one.id === id) ||
    queue.delayed.some((one) => one.id === id)
  );
}

function replace(queue: ModelQueue, id: string): void {
  const job = queue.jobs.get(id);
  for (const place of [queue.wait, queue.prioritized, queue.delayed]) takeOut(place, id);
  dropJob(queue, id);
  if (job) freeDeduplication(queue, job);
}

function addRun(queue: ModelQueue, scheduler: string, due: number, now: number): string {
  const id = `repeat:${scheduler}:${due}`;
  const delay = Math.max(0, due - now);
  queue.counter += 1;
  const job = newJob({ id, options: { delay }, parent: undefined }, now, { scheduler });
  queue.jobs.set(id, job);
  queue.emit('added', id);
  placeJob(queue, job, false);
  return `${id} ${delay} ${due}`;
}
