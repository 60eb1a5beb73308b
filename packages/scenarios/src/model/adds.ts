import { attach, dropExpired, dropJob, mayAttach, releaseIfReady, standing } from './family.js';
import { delayUntil, placeJob } from './places.js';
import {
  addTo,
  type ModelJob,
  type ModelOptions,
  type ModelQueue,
  type Policy,
  takeOut,
} from './state.js';

/** A job to add, as the commands draw it. */
export interface ModelAdd {
  readonly customId: string | undefined;
  readonly options: ModelOptions;
  readonly parent: { readonly id: string; readonly policy: Policy } | undefined;
  readonly dedup:
    | {
        readonly id: string;
        readonly mode: 'simple' | 'ttl' | 'extend' | 'replace' | 'keep' | 'reschedule';
      }
    | undefined;
}

/** A new job's record. */
export function newJob(
  add: { readonly id: string } & Pick<ModelAdd, 'options' | 'parent'>,
  timestamp: number,
  more: { readonly dedup?: string | undefined; readonly scheduler?: string | undefined } = {},
): ModelJob {
  const { id, options, parent } = add;
  return {
    ...{ id, options, timestamp, parent, dedup: more.dedup, scheduler: more.scheduler },
    ...{ priority: options.priority ?? 0, delay: options.delay ?? 0 },
    ...{ made: 0, started: 0, stalls: 0, logs: 0 },
  };
}

/** Why an add is refused, or nothing. */
export function addRejection(queue: ModelQueue, add: ModelAdd, now: number): string | undefined {
  if (!add.parent) return undefined;
  if (!queue.jobs.has(add.parent.id)) return 'PARENT_JOB_NOT_FOUND';
  const stands = standing(queue, add.customId, now);
  return stands && !mayAttach(queue, stands, add.parent.id)
    ? 'PARENT_JOB_CANNOT_BE_REPLACED'
    : undefined;
}

/** Jobs that have not ended. */
export const depthOf = (queue: ModelQueue): number =>
  queue.wait.length +
  queue.active.length +
  queue.prioritized.length +
  queue.delayed.length +
  queue.waitingChildren.size;

/** Whether an add makes a job that was not there. */
export const isNew = (
  queue: ModelQueue,
  { id, dedup }: { readonly id: string | undefined; readonly dedup?: string | undefined },
  now: number,
): boolean => !standing(queue, id, now) && !(dedup !== undefined && queue.owners.has(dedup));

/** Whether so many adds go beyond the queue's bound. */
export function isFull(queue: ModelQueue, adds: readonly ModelAdd[], now: number): boolean {
  const { maxJobs } = queue.limits;
  if (maxJobs === undefined) return false;
  const more = adds.filter(({ customId: id, dedup }) =>
    isNew(queue, { id, dedup: dedup?.id }, now),
  ).length;
  return more > 0 && depthOf(queue) + more > maxJobs;
}

/** Adds one job. @returns `id outcome location way` */
export function addOne(queue: ModelQueue, add: ModelAdd, now: number): string {
  const id = allocate(queue, add.customId);
  const stands = standing(queue, add.customId, now);
  if (!stands) dropExpired(queue, id, now);
  if (stands) {
    if (add.parent && queue.jobs.has(add.parent.id) && mayAttach(queue, stands, add.parent.id)) {
      attach(queue, stands, add.parent, now);
      releaseIfReady(queue, add.parent.id, now);
    }
    queue.emit('duplicated', id);
    return `${id} existing  ${id}`;
  }
  const [outcome, owner] = add.dedup
    ? deduplicate(queue, { ...add, dedup: add.dedup }, id, now)
    : ['created'];
  if (outcome === 'deduplicated' || outcome === 'kept') return `${owner} ${outcome}  ${owner}`;
  const location = store(queue, { ...add, id }, now, add.dedup?.id);
  return `${id} ${outcome} ${location} ${owner ?? ''}`;
}

function allocate(queue: ModelQueue, customId: string | undefined): string {
  queue.counter += 1;
  return customId ?? String(queue.counter);
}

function store(
  queue: ModelQueue,
  add: { readonly id: string } & Pick<ModelAdd, 'options' | 'parent'>,
  now: number,
  dedup: string | undefined,
): string {
  // What an add replaces, or an item before it in its batch, may have been its parent.
  const parent = add.parent && queue.jobs.has(add.parent.id) ? add.parent : undefined;
  const job = newJob({ ...add, parent }, now, { dedup });
  queue.jobs.set(add.id, job);
  queue.emit('added', add.id);
  const location = placeJob(queue, job, add.options.lifo === true);
  if (parent) addTo(queue.pending, parent.id, add.id);
  return location;
}

type Deduplicated = ModelAdd & { readonly dedup: NonNullable<ModelAdd['dedup']> };

function deduplicate(
  queue: ModelQueue,
  add: Deduplicated,
  id: string,
  now: number,
): [string, string?] {
  const { dedup } = add;
  const owner = livingOwner(queue, dedup.id);
  const expires = ['ttl', 'extend', 'replace'].includes(dedup.mode);
  if (!owner) {
    queue.owners.set(dedup.id, { id, expires });
    return ['created'];
  }
  if (dedup.mode === 'keep' && queue.active.includes(owner.id)) {
    queue.kept.set(dedup.id, { id, options: add.options, parent: add.parent });
    owner.expires = false;
    queue.emit('deduplicated', owner.id);
    return ['kept', owner.id];
  }
  if (dedup.mode === 'replace') return replaceDelayed(queue, add, id);
  if (dedup.mode === 'extend') owner.expires = true;
  queue.emit('deduplicated', owner.id);
  if (dedup.mode === 'reschedule' && takeOut(queue.delayed, owner.id)) {
    const delay = add.options.delay ?? 0;
    const job = queue.jobs.get(owner.id);
    if (job) job.delay = delay;
    delayUntil(queue, owner.id, now + delay);
  }
  return ['deduplicated', owner.id];
}

/** An owner that is gone and would never release its id is passed over. */
function livingOwner(queue: ModelQueue, dedup: string) {
  const owner = queue.owners.get(dedup);
  if (!owner || owner.expires || queue.jobs.has(owner.id)) return owner;
  queue.owners.delete(dedup);
  queue.kept.delete(dedup);
  return undefined;
}

function replaceDelayed(queue: ModelQueue, add: Deduplicated, id: string): [string, string] {
  const owner = queue.owners.get(add.dedup.id);
  const old = owner?.id ?? '';
  if (!takeOut(queue.delayed, old)) return ['deduplicated', old];
  dropJob(queue, old);
  queue.emit('removed', old);
  queue.emit('deduplicated', id);
  queue.kept.delete(add.dedup.id);
  queue.owners.set(add.dedup.id, { id, expires: owner?.expires ?? false });
  return ['replaced', old];
}

/** The owner of a deduplication id has ended: the add that waited for that comes in. */
export function storeKept(queue: ModelQueue, dedup: string, now: number): void {
  const kept = queue.kept.get(dedup);
  if (!kept) return;
  queue.kept.delete(dedup);
  if (queue.jobs.has(kept.id)) {
    queue.emit('duplicated', kept.id);
    return;
  }
  queue.counter += 1;
  queue.owners.set(dedup, { id: kept.id, expires: false });
  store(queue, kept, now, dedup);
}
