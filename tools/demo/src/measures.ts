import type { Records } from './books.js';
import { jobsByLanguage } from './languages.js';

/** Spans in ms at two percentiles. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  /** Spans that were measured. */
  readonly of: number;
}

/** What a run amounts to. */
export interface Measures {
  readonly added: number;
  readonly completed: number;
  readonly failed: number;
  /** Attempts that failed and were followed by another. */
  readonly retried: number;
  /** Jobs of the killed worker that the stalled sweep brought back. */
  readonly recovered: number;
  /** Jobs of the killed worker that had not begun and went back to the front at once. */
  readonly givenBack: number;
  /** Jobs that stalled although their worker lived. */
  readonly otherStalls: number;
  /** Jobs that are ready at once, from the first one taken to the last one finished; those recovered left out. */
  readonly perSecond: number;
  /** From added to taken: the time in line is part of it. */
  readonly pickUp: Percentiles;
  /** From due to taken, of the delayed jobs. */
  readonly duePickUp: Percentiles;
  /** Jobs that ended in the hands of each language. */
  readonly byLanguage: ReturnType<typeof jobsByLanguage>;
}

/** Works out the figures from the jobs' own times (the store's clock) and the queue's events. */
export function measure(records: Records): Measures {
  const { added, ids, jobs, killed, returned } = records;
  const stalled = [...jobs].filter(([, job]) => job.stalledCount > 0).map(([id]) => id);
  const held = new Set(killed?.held);
  const recovered = stalled.filter((id) => held.has(id));
  const retried = [...jobs.values()].reduce(
    (sum, job) => sum + Math.max(0, job.attemptsMade - 1),
    0,
  );
  return {
    added: added.length,
    completed: ids.get('completed')?.length ?? 0,
    failed: ids.get('failed')?.length ?? 0,
    retried,
    recovered: recovered.length,
    givenBack: [...held].filter((id) => returned.has(id)).length - recovered.length,
    otherStalls: stalled.length - recovered.length,
    perSecond: throughput(records, new Set(stalled)),
    pickUp: percentiles(spans(records, (delayMs) => delayMs === undefined)),
    duePickUp: percentiles(spans(records, (delayMs) => delayMs !== undefined)),
    byLanguage: jobsByLanguage(jobs.values(), records.languages),
  };
}

function throughput({ added, jobs, firstTaken }: Records, stalled: ReadonlySet<string>): number {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  let count = 0;
  for (const { id, kind } of added) {
    const finishedAt = jobs.get(id)?.finishedAt;
    const taken = firstTaken.get(id);
    if (kind !== 'file' || stalled.has(id) || !finishedAt || !taken) continue;
    first = Math.min(first, taken.at);
    last = Math.max(last, finishedAt);
    count += 1;
  }
  return count === 0 ? 0 : (count * 1_000) / Math.max(1, last - first);
}

function spans(
  { added, jobs, firstTaken }: Records,
  which: (delayMs: number | undefined) => boolean,
): number[] {
  return added.flatMap(({ id, delayMs }) => {
    const job = jobs.get(id);
    const taken = firstTaken.get(id);
    if (!which(delayMs) || !job || !taken) return [];
    return [Math.max(0, taken.at - job.addedAt - (delayMs ?? 0))];
  });
}

/** By the nearest rank. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), of: sorted.length };
}
