import { endCancelled, isCancelled, isUnbegun, leaveActive, recordEnd } from './ends.js';
import { delayUntil, enqueue, isEmpty, promoteDue } from './places.js';
import type { ModelJob, ModelQueue } from './state.js';
import { type ModelWorker, take } from './takes.js';

/** Whose lease a call shows. */
export interface Lease {
  readonly id: string;
  readonly token: string;
}

/** Why a holder's word is refused, or the job that it holds. */
export function held(queue: ModelQueue, { id, token }: Lease): ModelJob | string {
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  return lockProblem(queue, id, token) ?? job;
}

function lockProblem(queue: ModelQueue, id: string, token: string): string | undefined {
  const owner = queue.locks.get(id);
  if (owner === undefined) return 'LOCK_LOST';
  if (owner !== token || token === '' || token === '0') return 'LOCK_NOT_OWNED';
  return queue.active.includes(id) ? undefined : 'JOB_NOT_IN_STATE';
}

/** A run's end. `next` takes another job in the same step. */
export interface ModelFinish extends Lease {
  readonly target: 'completed' | 'failed';
  readonly next: ModelWorker | undefined;
}

/** Ends a run. @returns a rejection, or `branch attempts delay | what was fetched` */
export function finish(queue: ModelQueue, end: ModelFinish, now: number): string {
  const job = queue.jobs.get(end.id);
  if (!job) return 'JOB_NOT_FOUND';
  const cancelled = isCancelled(job);
  if (end.target === 'completed' && !cancelled) {
    if (queue.pending.has(job.id)) return 'JOB_HAS_PENDING_CHILDREN';
    if (queue.unsuccessful.has(job.id)) return 'JOB_HAS_FAILED_CHILDREN';
  }
  const problem = lockProblem(queue, end.id, end.token);
  if (problem) return problem;
  leaveActive(queue, job.id);
  job.unbegun = undefined;
  const made = job.made + 1;
  const told = endOf(queue, job, end, now);
  const next = end.next && take(queue, end.next, now);
  if ((next?.nothing ?? true) && !told.again && isEmpty(queue)) queue.emit('drained');
  return `${told.branch} ${made} ${told.delay} | ${next?.answer ?? 'idle 0'}`;
}

function endOf(queue: ModelQueue, job: ModelJob, { target }: ModelFinish, now: number) {
  if (isCancelled(job)) {
    endCancelled(queue, job, now);
    return { branch: 'failed', delay: 0, again: false };
  }
  if (target === 'failed' && job.made + 1 < (job.options.attempts ?? 0)) {
    const delay = job.options.backoff ?? 0;
    return { branch: again(queue, job, delay, now), delay, again: true };
  }
  const value = target === 'completed' ? '"ok"' : 'boom';
  recordEnd(queue, job, { target, value, now });
  return { branch: target, delay: 0, again: false };
}

/** A failed run with attempts left. */
function again(queue: ModelQueue, job: ModelJob, delay: number, now: number): string {
  job.made += 1;
  job.reason = 'boom';
  if (delay > 0) {
    job.delay = delay;
    delayUntil(queue, job.id, now + delay);
    return 'delayed';
  }
  enqueue(queue, job.id, job.priority, job.priority === 0 && job.options.lifo === true);
  queue.emit('waiting', job.id);
  return job.priority > 0 ? 'prioritized' : 'waiting';
}

/** Tries a failed run again at once, whatever its options say. */
export function retry(queue: ModelQueue, lease: Lease, now: number): string {
  const job = held(queue, lease);
  if (typeof job === 'string') return job;
  leaveActive(queue, job.id);
  promoteDue(queue, now);
  if (!isCancelled(job)) return again(queue, job, 0, now);
  endCancelled(queue, job, now);
  return 'failed';
}

/** Puts a held job off. */
export function putOff(
  queue: ModelQueue,
  lease: Lease & {
    readonly delay: number;
    readonly skip: boolean;
    readonly next: ModelWorker | undefined;
  },
  now: number,
): string {
  const job = held(queue, lease);
  if (typeof job === 'string') return job;
  leaveActive(queue, job.id);
  job.unbegun = undefined;
  let branch = 'delayed';
  let made = job.made;
  if (isCancelled(job)) {
    made += 1;
    branch = 'failed';
    endCancelled(queue, job, now);
  } else {
    if (!lease.skip) made += 1;
    job.made = made;
    job.delay = lease.delay;
    delayUntil(queue, job.id, now + lease.delay);
  }
  const next = lease.next && take(queue, lease.next, now);
  return `${branch} ${made} ${branch === 'failed' ? 0 : lease.delay} | ${next?.answer ?? 'idle 0'}`;
}

/**
 * Gives a held job back unrun. `run`: nobody has begun it, so that it may come after its lock has lapsed; a stall that was
 * counted meanwhile is taken back. `now` is only for one that is to be cancelled.
 */
export function giveBack(
  queue: ModelQueue,
  lease: Lease & { readonly toBack: boolean; readonly limit: boolean; readonly run?: number },
  now: number,
): string {
  const { id, run } = lease;
  const job = queue.jobs.get(id);
  if (!job) return 'JOB_NOT_FOUND';
  const problem = held(queue, lease);
  if (typeof problem === 'string') {
    const isLast = problem === 'LOCK_LOST' && run !== undefined && run === job.processedOn;
    const lapsed = isLast && queue.active.includes(id);
    const takesBack = run !== undefined && !lapsed && problem !== 'JOB_NOT_IN_STATE';
    if (takesBack && takeStallBack(job, run, isLast)) return 'free';
    if (!lapsed) return isLast ? 'JOB_NOT_IN_STATE' : problem;
  }
  leaveActive(queue, job.id);
  if (lease.limit) queue.limiter = Number.MAX_SAFE_INTEGER;
  job.unbegun = undefined;
  if (isCancelled(job)) {
    const made = job.made + 1;
    endCancelled(queue, job, now);
    return `failed ${made} 0 | idle 0`;
  }
  enqueue(queue, job.id, job.priority, !lease.toBack);
  queue.emit('waiting', job.id);
  return queue.limiter === undefined ? 'free' : 'limited';
}

/** A sweep has counted a stall for a run that nobody had begun: it is taken back once. */
function takeStallBack(job: ModelJob, run: number, isLast: boolean): boolean {
  const counted = job.stalledRun === run || (isLast && !isUnbegun(job));
  if (!counted || job.stalls < 1 || job.finishedOn !== undefined) return false;
  job.stalledRun = undefined;
  job.stalls -= 1;
  if (isLast) job.unbegun = job.processedOn;
  return true;
}

/** Parks a held parent until its children have ended. */
export function park(queue: ModelQueue, lease: Lease, now: number): string {
  const job = held(queue, lease);
  if (typeof job === 'string') return job;
  if (isCancelled(job)) {
    const made = job.made + 1;
    leaveActive(queue, job.id);
    job.unbegun = undefined;
    endCancelled(queue, job, now);
    return `failed ${made} 0 | idle 0`;
  }
  if (queue.unsuccessful.has(job.id)) return 'JOB_HAS_FAILED_CHILDREN';
  if (!queue.pending.has(job.id)) return 'false';
  leaveActive(queue, job.id);
  job.unbegun = undefined;
  queue.waitingChildren.set(job.id, now);
  queue.emit('waiting-children', job.id);
  return 'true';
}

/** Renews leases. `begun`: the worker has begun what it was handed. */
export function renew(queue: ModelQueue, leases: readonly Lease[], begun: boolean): string {
  const answers = leases.map(({ id, token }) => {
    const owner = queue.locks.get(id);
    if (owner === undefined) return queue.jobs.has(id) ? 'LOCK_LOST' : 'JOB_NOT_FOUND';
    if (owner !== token) return 'LOCK_NOT_OWNED';
    queue.stalled.delete(id);
    const job = queue.jobs.get(id);
    if (begun && job) job.unbegun = undefined;
    return job && isCancelled(job) ? 'CANCEL_REQUESTED' : 'EXTENDED';
  });
  return answers.join(' ');
}

/** The stalled sweep. @param order in which the ownerless were met, which a set does not say */
export function sweep(
  queue: ModelQueue,
  options: { readonly maxStalls: number; readonly force: boolean; readonly most: number },
  order: readonly string[],
  now: number,
): string {
  if (!options.force && queue.swept) return ' |  | 0';
  const ownerless = [...queue.stalled].filter(
    (id) => !queue.locks.has(id) && queue.active.includes(id),
  );
  const place = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  ownerless.sort((a, b) => place(a) - place(b));
  const recovered: string[] = [];
  const failed: string[] = [];
  for (const id of ownerless.slice(0, options.most)) {
    (recover(queue, id, options.maxStalls, now) ? recovered : failed).push(id);
  }
  queue.swept = true;
  queue.stalled.clear();
  for (const id of queue.active) queue.stalled.add(id);
  const more = ownerless.length > options.most ? '1' : '0';
  return `${recovered.join()} | ${failed.join()} | ${more}`;
}

function recover(queue: ModelQueue, id: string, maxStalls: number, now: number): boolean {
  const job = queue.jobs.get(id);
  if (!job) throw new Error(`${id} is active and is no job`);
  queue.active.splice(queue.active.indexOf(id), 1);
  const unbegun = isUnbegun(job);
  const cancelled = isCancelled(job);
  if (!unbegun || cancelled) job.unbegun = undefined;
  if (!unbegun) {
    job.stalls += 1;
    if (job.processedOn !== undefined) job.stalledRun = job.processedOn;
  }
  const scheduled = job.scheduler !== undefined && queue.schedulers.has(job.scheduler);
  const fails = cancelled || (!unbegun && job.stalls > maxStalls && !scheduled);
  if (cancelled) endCancelled(queue, job, now);
  else if (fails) {
    recordEnd(queue, job, {
      target: 'failed',
      value: 'job stalled more than allowable limit',
      now,
    });
  } else {
    queue.wait.push(id);
    queue.emit('waiting', id);
  }
  if (!unbegun) queue.emit('stalled', id);
  return !fails;
}
