import type { QueueDump } from '@echomq/testkit';
import { type Location, placesOf } from './places.js';

/** What is known besides the queue itself. */
export interface BooksRules {
  /** Every id that was accepted; then each must be stored or removed. */
  readonly accepted?: Iterable<string>;
  /** Ids that may be gone: removed on purpose or as they ended. All, where it is `'any'`. */
  readonly removed?: Iterable<string> | 'any';
  /** Nothing is under way and nothing waits: no id outside completed and failed, but for the next runs of schedulers. */
  readonly atRest?: boolean;
  /** Locks of active jobs may have lapsed: a sweep has not looked twice yet. */
  readonly beforeSweeps?: boolean;
}

const OPEN: readonly Location[] = ['wait', 'paused', 'prioritized', 'active', 'waiting-children'];

/** What is wrong with a queue that was read whole, a line each; none: the rules hold. */
export function checkBooks(dump: QueueDump, rules: BooksRules = {}): string[] {
  const places = placesOf(dump);
  return [
    ...onePlaceEach(dump, places),
    ...locks(dump, places, rules),
    ...parents(dump, places),
    ...schedulers(dump, places),
    ...marker(dump, rules),
    ...accounts(places, rules),
    ...(rules.atRest ? rest(dump, places) : []),
  ];
}

type Places = ReadonlyMap<string, readonly Location[]>;

function onePlaceEach(dump: QueueDump, places: Places): string[] {
  const problems: string[] = [];
  for (const [id, found] of places) {
    if (found.length > 1) problems.push(`${id} is in ${found.join(' and ')}`);
    if (!isJob(dump[id])) problems.push(`${id} in ${found.join()} has no job behind it`);
  }
  for (const [id, value] of Object.entries(dump)) {
    if (isJob(value) && !places.has(id)) problems.push(`${id} is in no location`);
  }
  return problems;
}

/** A job's hash and no other one: a scheduler's record has no timestamp. */
function isJob(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'timestamp' in value && 'data' in value;
}

function locks(dump: QueueDump, places: Places, { beforeSweeps }: BooksRules): string[] {
  const active = new Set([...places].filter(([, at]) => at.includes('active')).map(([id]) => id));
  const locked = Object.keys(dump)
    .filter((key) => key.endsWith(':lock'))
    .map((key) => key.slice(0, -':lock'.length));
  const problems = locked
    .filter((id) => !active.has(id))
    .map((id) => `${id} has a lock and is not active`);
  if (beforeSweeps) return problems;
  const without = [...active].filter((id) => !locked.includes(id));
  return [...problems, ...without.map((id) => `${id} is active without a lock`)];
}

function parents(dump: QueueDump, places: Places): string[] {
  return [...places].flatMap(([id, at]) => {
    if (!at.includes('waiting-children')) return [];
    const pending = dump[`${id}:dependencies`];
    return Array.isArray(pending) && pending.length > 0
      ? []
      : [`${id} waits for children and has none that are pending`];
  });
}

function schedulers(dump: QueueDump, places: Places): string[] {
  const known = (dump.repeat ?? []) as [string, number][];
  return known.flatMap(([id]) => {
    const problems = dump[`repeat:${id}`] ? [] : [`scheduler ${id} has no record`];
    const next = [...places].filter(
      ([job, at]) =>
        job.startsWith(`repeat:${id}:`) && !at.includes('completed') && !at.includes('failed'),
    );
    // A run that was taken and given back waits beside the one that was made when it was taken.
    const pending = next.filter(
      ([job, at]) => !at.includes('active') && !('processedOn' in ((dump[job] ?? {}) as object)),
    );
    if (next.length === 0) problems.push(`scheduler ${id} has no next run`);
    if (pending.length > 1) problems.push(`scheduler ${id} has ${pending.length} next runs`);
    return problems;
  });
}

/** Where nobody works, what waits must be told of. */
function marker(dump: QueueDump, { atRest }: BooksRules): string[] {
  const meta = (dump.meta ?? {}) as Record<string, string>;
  const waits = ['wait', 'prioritized'].some((key) => key in dump);
  const held = 'active' in dump || 'paused' in meta || 'limiter' in dump || 'marker' in dump;
  return waits && !held && !atRest ? ['jobs wait, nobody works, and no marker tells of them'] : [];
}

function accounts(places: Places, { accepted, removed = [] }: BooksRules): string[] {
  if (accepted === undefined) return [];
  const known = new Set(accepted);
  const gone = removed === 'any' ? undefined : new Set(removed);
  const missing = [...known].filter((id) => !places.has(id) && gone !== undefined && !gone.has(id));
  const unknown = [...places.keys()].filter((id) => !known.has(id));
  return [
    ...missing.map((id) => `${id} was accepted and is gone`),
    ...unknown.map((id) => `${id} is stored and was never accepted`),
  ];
}

function rest(dump: QueueDump, places: Places): string[] {
  const isNextRun = (id: string) => id.startsWith('repeat:');
  const open = [...places].filter(
    ([id, at]) => at.some((one) => OPEN.includes(one)) && !isNextRun(id),
  );
  const delayed = [...places].filter(([id, at]) => at.includes('delayed') && !isNextRun(id));
  return [
    ...[...open, ...delayed].map(([id, at]) => `${id} is still in ${at.join()}`),
    ...('stalled' in dump ? ['ids are still marked as perhaps stalled'] : []),
  ];
}
