import { hashOf, listOf, type QueueReading, scored } from './read-queue.js';

/** What clients know between two steps, which excuses a marker that is gone. */
export interface Attention {
  /** A client has taken the marker, and has not fetched since. */
  awake: boolean;
  /** The earliest due time that a fetch has told a client, who looks again then; ms. */
  told: number;
  /** A fetch has told a client that the limit is reached; it looks again when that ends. */
  toldLimited: boolean;
  /** A client has ended a run and not fetched since: it will. */
  ending: boolean;
}

const LISTS = ['wait', 'active'] as const;
const SETS = ['prioritized', 'delayed', 'waiting-children', 'completed', 'failed'] as const;
const HANGS_ON = /^(.*):(lock|logs|dependencies|processed|failed|unsuccessful)$/;

/**
 * The rules that hold in a store after every step, whatever the commands were; a line for each that is broken. They ask
 * the store alone: the model has no say.
 */
export function brokenRules(reading: QueueReading, attention: Attention): string[] {
  const { rows } = reading;
  const problems: string[] = [];
  const places = new Map<string, string[]>();
  const meet = (id: string, place: string) => places.set(id, [...(places.get(id) ?? []), place]);
  for (const list of LISTS) for (const id of listOf(rows, list)) meet(id, list);
  for (const set of SETS) for (const [id] of scored(rows, set)) meet(id, set);
  for (const [id, found] of places) {
    if (found.length > 1) problems.push(`${id} is in ${found.join(' and ')}`);
    if (!hashOf(rows, id).has('timestamp'))
      problems.push(`${id} in ${found.join()} has no job behind it`);
  }
  for (const [name, kind] of rows.values()) {
    const owner = HANGS_ON.exec(name)?.[1];
    if (name.startsWith('met')) continue;
    if (owner !== undefined) problems.push(...hanging(reading, name, owner, places));
    else if (kind === 'hash' && hashOf(rows, name).has('timestamp') && !places.has(name)) {
      problems.push(`${name} is in no location`);
    }
  }
  for (const [id] of scored(rows, 'waiting-children')) {
    if (listOf(rows, `${id}:dependencies`).length === 0) {
      problems.push(`${id} waits for children and has none that are pending`);
    }
  }
  if (rows.has('meta:counters:1')) problems.push('a job that could not run was dropped');
  return [...problems, ...sleepers(reading, attention)];
}

function hanging(
  { rows }: QueueReading,
  name: string,
  owner: string,
  places: ReadonlyMap<string, readonly string[]>,
): string[] {
  if (name.endsWith(':lock')) {
    return places.get(owner)?.includes('active') ? [] : [`${owner} has a lock and is not active`];
  }
  if (!hashOf(rows, owner).has('timestamp')) return [`${name} hangs on no job`];
  if (!name.endsWith(':dependencies')) return [];
  // Of a child that is gone nobody will ever tell the parent.
  const gone = listOf(rows, name).filter(
    (key) => ![...places.keys()].some((id) => key.endsWith(`:${id}`)),
  );
  return gone.map((key) => `${owner} waits for ${key}, which is gone`);
}

/** Nobody may sleep while there is work that a fetch would give, or past the time when there will be. */
function sleepers(
  { rows }: QueueReading,
  { awake, told, toldLimited, ending }: Attention,
): string[] {
  if (awake) return [];
  const meta = hashOf(rows, 'meta');
  const marker = new Map(scored(rows, 'marker'));
  if (marker.has('0')) return [];
  const active = listOf(rows, 'active').length;
  const open =
    !meta.has('paused') && active < Number(meta.get('concurrency') ?? Number.POSITIVE_INFINITY);
  const waits = rows.has('wait') || rows.has('prioritized');
  const limited = rows.has('limiter') && toldLimited;
  const problems = waits && open && !limited ? ['jobs wait and no marker tells of them'] : [];
  const due = Math.floor((scored(rows, 'delayed')[0]?.[1] ?? Number.POSITIVE_INFINITY) / 4096);
  const wakes = Math.min(marker.get('1') ?? Number.POSITIVE_INFINITY, told);
  const excused = ending || !open || limited || active > 0;
  if (!excused && due < Number.POSITIVE_INFINITY && Math.floor(wakes) > due) {
    problems.push('a job is delayed and nobody wakes when it is due');
  }
  return problems;
}
