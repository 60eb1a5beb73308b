import type { Fate } from './plan.js';
import type { QueueBooks } from './queue-books.js';
import type { RunNotes } from './run-notes.js';

/** Whatever is wrong, in words; each list is empty after a good run. */
export interface Audit {
  /** Jobs that ran more or less often than planned, or out of order. */
  readonly wrongRuns: readonly string[];
  /** Jobs that ended elsewhere than planned, twice, or nowhere. */
  readonly wrongEnds: readonly string[];
  /** Ids in no location or in several, and ids behind which there is no job. */
  readonly wrongPlaces: readonly string[];
  /** Ends that were not announced exactly once. */
  readonly wrongEvents: readonly string[];
  /** Keys that should be gone. */
  readonly leftovers: readonly string[];
}

/** Keys that a queue at rest may have: what parents know of their children, and receipts until they lapse. */
const MAY_STAY = new Set([
  ...['id', 'meta', 'events', 'marker', 'stalled-check', 'pc'],
  ...['ID:processed', 'ID:failed', 'ID:unsuccessful', 'meta:rcpt:…', 'meta:req:…'],
]);

/** Compares what happened with what was planned. */
export function audit(fates: ReadonlyMap<string, Fate>, notes: RunNotes, books: QueueBooks): Audit {
  return {
    wrongRuns: [...wrongCounts(fates, notes, books), ...wrongOrder(fates, notes)],
    wrongEnds: wrongEnds(fates, books),
    wrongPlaces: wrongPlaces(books),
    wrongEvents: wrongEvents(fates, books),
    leftovers: Object.keys(books.others).filter((name) => !MAY_STAY.has(name)),
  };
}

/** Which task a scheduled job's id stands for: its schedule's key is that of all its runs. */
export function fateKey(key: string, id: string): string {
  return key.startsWith('every-') ? `${key}@${id}` : key;
}

function wrongCounts(
  fates: ReadonlyMap<string, Fate>,
  notes: RunNotes,
  books: QueueBooks,
): string[] {
  const attempts = notes.attempts();
  const wrong: string[] = [];
  for (const [key, { runs }] of fates) {
    const made = (attempts.get(key) ?? []).join();
    const planned = Array.from({ length: runs }, (_, at) => at).join();
    if (made !== planned) wrong.push(`${key} made the attempts [${made}], not [${planned}]`);
    attempts.delete(key);
  }
  for (const [key, made] of attempts) wrong.push(`${key} was not planned and ran ${made.length}`);
  for (const [id, { key, attemptsMade }] of books.jobs) {
    const runs = fates.get(fateKey(key, id))?.runs ?? 1;
    // A parent that its child fails counts an attempt and does not run.
    if (attemptsMade !== runs && runs > 0) {
      wrong.push(`${key} (${id}) counts ${attemptsMade} attempts, not ${runs}`);
    }
  }
  return wrong;
}

/** Parents that began before the last of their children had ended. */
function wrongOrder(fates: ReadonlyMap<string, Fate>, notes: RunNotes): string[] {
  const ended = new Map<string, number>();
  for (const run of notes.runs) ended.set(run.key, Math.max(run.ended, ended.get(run.key) ?? 0));
  return notes.runs.flatMap(({ key, began }) => {
    const after = fates.get(key)?.after ?? [];
    const early = after.filter((child) => (ended.get(child) ?? Number.POSITIVE_INFINITY) > began);
    return early.map((child) => `${key} began before ${child} had ended`);
  });
}

function wrongEnds(fates: ReadonlyMap<string, Fate>, { locations, jobs }: QueueBooks): string[] {
  const ends = new Map<string, string[]>();
  for (const end of ['completed', 'failed']) {
    for (const id of locations[end] ?? []) {
      const key = fateKey(jobs.get(id)?.key ?? '', id);
      ends.set(key, [...(ends.get(key) ?? []), end]);
    }
  }
  const wrong: string[] = [];
  for (const [key, { end }] of fates) {
    const found = (ends.get(key) ?? ['removed']).join();
    if (found !== end) wrong.push(`${key} ended as ${found}, not as ${end}`);
    ends.delete(key);
  }
  return [...wrong, ...[...ends.keys()].map((key) => `${key} was not planned`)];
}

function wrongPlaces({ locations, jobs }: QueueBooks): string[] {
  const places = new Map<string, string[]>([...jobs.keys()].map((id) => [id, []]));
  const wrong: string[] = [];
  for (const [location, ids] of Object.entries(locations)) {
    for (const id of ids) {
      const found = places.get(id);
      if (found) found.push(location);
      else wrong.push(`${id} in ${location} has no job behind it`);
    }
  }
  for (const [id, found] of places) {
    if (found.length !== 1) wrong.push(`${id} is in ${found.join(' and ') || 'no location'}`);
  }
  return wrong;
}

function wrongEvents(
  fates: ReadonlyMap<string, Fate>,
  { locations, events }: QueueBooks,
): string[] {
  const wrong: string[] = [];
  for (const end of ['completed', 'failed'] as const) {
    const announced = new Map(events[end]);
    for (const id of locations[end] ?? []) {
      if (announced.get(id) !== 1) wrong.push(`${id} was ${announced.get(id) ?? 0} times ${end}`);
      announced.delete(id);
    }
    // What is left was removed as it ended.
    const removed = [...fates.values()].filter((fate) => fate.end === 'removed').length;
    const expected = end === 'completed' ? removed : 0;
    const counts = [...announced.values()];
    if (counts.length !== expected || counts.some((count) => count !== 1)) {
      wrong.push(`${counts.length} jobs that are gone were ${end}, not ${expected}`);
    }
  }
  return wrong;
}
