import type { FirstTaken } from './event-log.js';
import type { Killed } from './kill.js';
import type { Languages } from './languages.js';
import { type AddedJob, FLAKY_FAILURES } from './plan.js';
import { LOCATIONS, type Location, type StoredJob } from './stored-queue.js';

/** All that the books are checked on, read when every worker has ended. */
export interface Records {
  readonly added: readonly AddedJob[];
  /** The ids in each location of the queue. */
  readonly ids: ReadonlyMap<Location, readonly string[]>;
  readonly jobs: ReadonlyMap<string, StoredJob>;
  /** Ids that have a job hash, found by a scan. */
  readonly hashes: readonly string[];
  /** Ids that have a lock, found by a scan. */
  readonly locks: readonly string[];
  /** What the gateway says of the same locations. */
  readonly told: { readonly completed: number; readonly failed: number };
  readonly firstTaken: ReadonlyMap<string, FirstTaken>;
  /** Per job, how many takings there were before it was added. */
  readonly addedBefore: ReadonlyMap<string, number>;
  /** Jobs that went from a worker back into the line. */
  readonly returned: ReadonlySet<string>;
  readonly killed: Killed | undefined;
  readonly languages: Languages;
}

/** One thing that was checked. */
export interface Check {
  readonly what: string;
  /** What is wrong, a line each; none: it is right. */
  readonly problems: readonly string[];
}

/** How far the store's clock and its stream's ids may be apart, ms. */
const CLOCK_SLACK_MS = 20;

/** Checks everything that does not need the files again. */
export function checkBooks(records: Records): readonly Check[] {
  return [
    { what: 'every id is in exactly one location', problems: places(records) },
    { what: 'every id has its job, every job its id', problems: hashes(records) },
    { what: 'no lock without an active job', problems: locks(records) },
    { what: 'no job is active', problems: active(records) },
    { what: 'the sums are equal', problems: sums(records) },
    { what: 'every job ended as planned', problems: ends(records) },
    { what: 'no delayed job ran early', problems: early(records) },
    { what: 'priorities were honoured', problems: priorities(records) },
    { what: "the killed worker's jobs were recovered", problems: recovery(records) },
  ];
}

const inLocation = ({ ids }: Records, location: Location) => ids.get(location) ?? [];

function places(records: Records): string[] {
  const found = new Map<string, Location[]>();
  for (const location of LOCATIONS) {
    for (const id of inLocation(records, location)) {
      found.set(id, [...(found.get(id) ?? []), location]);
    }
  }
  const known = new Set(records.added.map(({ id }) => id));
  const problems: string[] = [];
  for (const id of known) if (!found.has(id)) problems.push(`job ${id} is in no location`);
  for (const [id, locations] of found) {
    if (!known.has(id)) problems.push(`id ${id} in ${locations.join(' and ')} was never added`);
    else if (locations.length > 1) problems.push(`job ${id} is in ${locations.join(' and ')}`);
  }
  return problems;
}

function hashes({ added, jobs, hashes: stored }: Records): string[] {
  const known = new Set(added.map(({ id }) => id));
  return [
    ...added.filter(({ id }) => !jobs.has(id)).map(({ id }) => `job ${id} has no hash`),
    ...stored.filter((id) => !known.has(id)).map((id) => `a hash of job ${id}, never added`),
  ];
}

function locks(records: Records): string[] {
  const held = new Set(inLocation(records, 'active'));
  return records.locks
    .filter((id) => !held.has(id))
    .map((id) => `job ${id} has a lock and is not active`);
}

function active(records: Records): string[] {
  return inLocation(records, 'active').map((id) => `job ${id} is active, and no worker is left`);
}

function sums(records: Records): string[] {
  const { added, told } = records;
  const completed = inLocation(records, 'completed').length;
  const failed = inLocation(records, 'failed').length;
  const doomed = added.filter(({ kind }) => kind === 'doomed').length;
  const equations: readonly [string, number, number][] = [
    ['completed + failed, and added', completed + failed, added.length],
    ['failed, and jobs that can only fail', failed, doomed],
    ['ids, and different ids', added.length, new Set(added.map(({ id }) => id)).size],
    ['completed in Redis, and as the gateway counts', completed, told.completed],
    ['failed in Redis, and as the gateway counts', failed, told.failed],
  ];
  return equations.filter(([, a, b]) => a !== b).map(([what, a, b]) => `${what}: ${a} and ${b}`);
}

function ends(records: Records): string[] {
  const completed = new Set(inLocation(records, 'completed'));
  const failed = new Set(inLocation(records, 'failed'));
  return records.added.flatMap(({ id, kind }) => {
    const job = records.jobs.get(id);
    if (!job) return [];
    const problems: string[] = [];
    const place = kind === 'doomed' ? failed : completed;
    if (!place.has(id))
      problems.push(`${kind} job ${id} is not ${place === failed ? 'failed' : 'completed'}`);
    const attempts = kind === 'flaky' ? FLAKY_FAILURES + 1 : 1;
    if (job.attemptsMade !== attempts) {
      problems.push(`${kind} job ${id} made ${job.attemptsMade} attempts instead of ${attempts}`);
    }
    return problems;
  });
}

function early({ added, jobs, firstTaken }: Records): string[] {
  return added.flatMap(({ id, delayMs = 0 }) => {
    const job = jobs.get(id);
    if (!job) return [];
    const due = job.addedAt + delayMs;
    const last = (job.takenAt ?? due) - due;
    const first = (firstTaken.get(id)?.at ?? due) - due;
    if (last >= 0 && first >= -CLOCK_SLACK_MS) return [];
    return [`job ${id} ran ${-Math.min(first, last)} ms before it was due`];
  });
}

/** A pair counts only where both stood in line when the first of them was taken. */
function priorities({ added, firstTaken, addedBefore }: Records): string[] {
  const inLine = added.flatMap(({ id, priority }) => {
    const taken = firstTaken.get(id)?.order;
    const since = addedBefore.get(id);
    if (priority === undefined || taken === undefined || since === undefined) return [];
    return [{ id, priority, taken, since }];
  });
  return inLine.flatMap((sooner) =>
    inLine
      .filter((later) => sooner.priority < later.priority)
      .filter((later) => later.taken < sooner.taken && sooner.since <= later.taken)
      .map(
        (later) => `job ${later.id} (${later.priority}) before ${sooner.id} (${sooner.priority})`,
      ),
  );
}

function recovery({ killed, jobs, returned }: Records): string[] {
  if (!killed) return ['no worker was killed'];
  const { name, held, begun } = killed;
  const isRecovered = (id: string) => (jobs.get(id)?.stalledCount ?? 0) > 0;
  // Its report was on the way when the worker was looked at, and arrived.
  const isReported = (id: string) => {
    const job = jobs.get(id);
    return job?.worker === name && job.finishedAt !== undefined && !returned.has(id);
  };
  const left = (ids: readonly string[]) => ids.filter((id) => !isReported(id));
  return [
    ...(begun.some(isRecovered) ? [] : [`the sweep brought no job of ${name} back`]),
    ...left(begun)
      .filter((id) => !isRecovered(id))
      .map((id) => `job ${id} ran on ${name} and was not brought back by the sweep`),
    ...left(held)
      .filter((id) => !returned.has(id))
      .map((id) => `job ${id} was held by ${name} and did not go back into the line`),
    ...held
      .filter((id) => jobs.get(id)?.finishedAt === undefined)
      .map((id) => `job ${id} was held by ${name} and has not finished`),
  ];
}
