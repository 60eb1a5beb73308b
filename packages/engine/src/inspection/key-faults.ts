import { inspectKeys } from '@echomq/core';
import { type Fault, FaultKind } from '@echomq/proto/messages';
import { globEscape } from '../services/queue/scan-keys.js';
import { fault } from './fault.js';
import type { Inspected } from './inspected.js';
import { jobFaults } from './job-faults.js';

/** Keys that one step of SCAN passes. */
const SCANNED = 500;
/** Keys that one script looks at. */
const STEP = 50;
/** Ids of a list that one command reads. */
const READ = 2_000;

/** Where SCAN goes on, per primary; a primary that is through has '0'. */
export type Cursors = readonly string[];

/** What a part of the key space showed. */
export interface ScannedPart {
  readonly faults: readonly Fault[];
  /** Undefined: through. */
  readonly next: Cursors | undefined;
  readonly looked: number;
}

/** One step of SCAN on every primary that is not through: the names of the queue's keys after its prefix. */
export async function scanStep(
  { store, queue }: Inspected,
  cursors: Cursors | undefined,
): Promise<{ readonly names: readonly string[]; readonly next: Cursors | undefined }> {
  const { base } = queue.keys;
  const match = ['MATCH', `${globEscape(base)}*`, 'COUNT', SCANNED] as const;
  const names: string[] = [];
  const next: string[] = [];
  // Each cursor counts on its own primary alone, and a command goes to all of them.
  for (const cursor of new Set(cursors ?? ['0'])) {
    if (cursors && cursor === '0') continue;
    const replies = await store.redis.eachPrimary('SCAN', [cursor, ...match]);
    replies.forEach((reply, primary) => {
      next[primary] ??= '0';
      if (cursors && cursors[primary] !== cursor) return;
      const [after, keys] = reply as [unknown, readonly unknown[]];
      next[primary] = String(after);
      names.push(...keys.map((key) => String(key).slice(base.length)));
    });
  }
  return { names, next: next.every((cursor) => cursor === '0') ? undefined : next };
}

/** What names of keys lead to: locks and deduplication ids that nobody needs, and jobs that are in none of the sets. */
export async function keyFaults(
  inspected: Inspected,
  names: readonly string[],
): Promise<{ readonly faults: readonly Fault[]; readonly unplaced: readonly string[] }> {
  const { store, queue, seenAt } = inspected;
  const faults: Fault[] = [];
  const unplaced: string[] = [];
  for (let from = 0; from < names.length; from += STEP) {
    const found = await inspectKeys(store, queue.keys, names.slice(from, from + STEP));
    unplaced.push(...found.unplaced);
    for (const id of found.locked) faults.push(...(await jobFaults(inspected, id)));
    for (const id of found.deduplication) {
      const why =
        'it is held by a job that is gone, and never lapses: what is added with it is dropped';
      faults.push(fault(FaultKind.DEDUPLICATION_STRAY, id, { why }, seenAt));
    }
  }
  return { faults, unplaced };
}

/**
 * What is broken of jobs that are in none of the sets: each must stand in a list, once. The lists are read once for all
 * of them, in the order in which jobs pass them; what moves meanwhile is asked for by itself.
 */
export async function unplacedFaults(
  inspected: Inspected,
  ids: readonly string[],
): Promise<readonly Fault[]> {
  if (ids.length === 0) return [];
  const { store, queue } = inspected;
  const seen = new Map(ids.map((id) => [id, 0]));
  for (const list of [queue.keys.wait, queue.keys.paused, queue.keys.active]) {
    if (String(await store.command('TYPE', [list])) !== 'list') continue;
    for (let first = 0; ; first += READ) {
      const part = await store.command('LRANGE', [list, first, first + READ - 1]);
      for (const entry of part as readonly unknown[]) {
        const id = String(entry);
        const count = seen.get(id);
        if (count !== undefined) seen.set(id, count + 1);
      }
      if ((part as readonly unknown[]).length < READ) break;
    }
  }
  const faults: Fault[] = [];
  for (const [id, count] of seen) {
    if (count !== 1) faults.push(...(await jobFaults(inspected, id)));
  }
  return faults;
}
