import { endCancelled, isCancelled, recordEnd } from './ends.js';
import { gateIsClosed, nextDue, promoteDue } from './places.js';
import { type ModelQueue, takeOut } from './state.js';

/** Who fetches. */
export interface ModelWorker {
  readonly token: string;
  readonly buffered?: boolean | undefined;
}

/** What a fetch found: `job ID`, `limited`, or `idle` with when the next is due. */
export interface Taken {
  readonly answer: string;
  readonly id?: string;
  /** Nothing was found, nor is anything due later. */
  readonly nothing: boolean;
}

/** Takes the next job: what is due is promoted, then limit and gate are asked. */
export function take(queue: ModelQueue, worker: ModelWorker, now: number): Taken {
  promoteDue(queue, now);
  const { max } = queue.limits;
  if (queue.limiter !== undefined && queue.limiter >= (max ?? Number.MAX_SAFE_INTEGER)) {
    return { answer: 'limited', nothing: false };
  }
  if (gateIsClosed(queue)) return { answer: 'idle 0', nothing: true };
  for (;;) {
    const [waits] = queue.prioritized;
    const fromWait = queue.wait.length > 0;
    const id = pop(queue);
    if (id === undefined) {
      const due = nextDue(queue);
      return { answer: `idle ${due}`, nothing: due === 0 };
    }
    if (fails(queue, id, now)) continue;
    if (worker.buffered && queue.jobs.get(id)?.unbegun !== undefined) {
      // A sweep has given it back as not begun: it is put back, for a free slot.
      takeOut(queue.active, id);
      if (fromWait) queue.wait.push(id);
      else if (waits) queue.prioritized.unshift(waits);
      return { answer: 'unbuffered', nothing: false };
    }
    activate(queue, id, worker, now);
    if (max !== undefined) queue.limiter = (queue.limiter ?? 0) + 1;
    return { answer: `job ${id}`, id, nothing: false };
  }
}

function pop(queue: ModelQueue): string | undefined {
  const id = queue.wait.pop() ?? queue.prioritized.shift()?.id;
  if (id === undefined) queue.arrivals = 0;
  else queue.active.unshift(id);
  return id;
}

/** A job that is to fail or to be cancelled does so instead of being handed out. */
function fails(queue: ModelQueue, id: string, now: number): boolean {
  const job = queue.jobs.get(id);
  if (!job) throw new Error(`${id} waits and is no job`);
  const cancelled = isCancelled(job);
  if (!cancelled) job.cancel = undefined;
  if (!cancelled && job.deferred === undefined) return false;
  takeOut(queue.active, id);
  if (cancelled) endCancelled(queue, job, now);
  else recordEnd(queue, job, { target: 'failed', value: job.deferred ?? '', now });
  return true;
}

function activate(queue: ModelQueue, id: string, worker: ModelWorker, now: number): void {
  const job = queue.jobs.get(id);
  if (!job) return;
  queue.locks.set(id, worker.token);
  queue.emit('active', id);
  job.processedOn = now;
  job.started += 1;
  if (worker.buffered) job.unbegun = now;
}
