import { InvalidRequest, TransitionRejected } from '@echomq/core';
import type { NamedQueue } from '../../queue-names.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import type { QueueDeps } from './named-job.js';
import { isWrongType } from './stored-jobs.js';

/** Jobs of one state that are to be moved, a part per call. */
export interface BulkMovement {
  readonly queue: NamedQueue;
  readonly state: 'completed' | 'failed' | 'delayed';
  /** Only jobs of this name; empty: all. */
  readonly nameFilter: string;
  /** At most so many in this call. */
  readonly limit: number;
  /** From the previous call; empty: the beginning. */
  readonly cursor: string;
  /** All else that chooses the jobs: a cursor goes with it. */
  readonly query: readonly unknown[];
  /** What stands there at the first call: entries with a higher score, and more of them, are none of this movement's. */
  readonly begin: () => Promise<{ readonly maxScore: number; readonly entries: number }>;
  /** Moves up to so many of the first entries in one script and says how many; where none has to be told apart. */
  readonly moveFirst?: (maxScore: number, most: number) => Promise<number>;
  /** Moves one. */
  readonly moveOne: (jobId: string) => Promise<unknown>;
}

/** Jobs of one script, so that others are served in between. */
const STEP = 250;
/** Jobs looked at in one call: a filter that hits little must not read a whole set. */
const MOST_LOOKED_AT = 10_000;

/**
 * Does a part of a movement. The first call notes what stands there: a job that fails again meanwhile is not moved
 * again, so that whoever calls until the cursor is empty comes to an end.
 */
export async function moveBulk(
  deps: QueueDeps,
  movement: BulkMovement,
  signal: AbortSignal,
): Promise<{ readonly moved: number; readonly nextCursor: string }> {
  let at = await positionOf(movement);
  let [moved, lookedAt] = [0, 0];
  while (at.entries > 0 && moved < movement.limit && lookedAt < MOST_LOOKED_AT && !signal.aborted) {
    const most = Math.min(STEP, movement.limit - moved, at.entries);
    const step = movement.moveFirst
      ? await moveFirst(movement, at, most)
      : await moveMatching(deps, movement, { ...at, most });
    moved += step.moved;
    lookedAt += step.lookedAt;
    at = {
      ...at,
      entries: step.lookedAt < most ? 0 : at.entries - step.lookedAt,
      passed: at.passed + step.stay,
    };
  }
  return { moved, nextCursor: at.entries > 0 ? cursorAt(movement, at) : '' };
}

interface Position {
  readonly maxScore: number;
  /** Entries that are left to be looked at. */
  readonly entries: number;
  /** Entries that stay, before all that are left. */
  readonly passed: number;
}

interface Step {
  readonly lookedAt: number;
  readonly moved: number;
  readonly stay: number;
}

function queryOf({ queue, state, nameFilter, query }: BulkMovement): readonly unknown[] {
  return ['bulk', queue.keys.base, state, nameFilter, ...query];
}

/** The score as text: JSON has no infinity. */
function cursorAt(movement: BulkMovement, { maxScore, entries, passed }: Position): string {
  return pageToken(queryOf(movement), [String(maxScore), entries, passed]);
}

async function positionOf(movement: BulkMovement): Promise<Position> {
  const position = pagePosition(movement.cursor, queryOf(movement), 'cursor');
  if (!position) return { ...(await movement.begin()), passed: 0 };
  const [maxScore, entries, passed] = position;
  if (typeof maxScore === 'string' && typeof entries === 'number' && typeof passed === 'number') {
    return { maxScore: Number(maxScore), entries, passed };
  }
  throw new InvalidRequest('cursor', 'is none of this movement');
}

async function moveFirst(
  { moveFirst: move }: BulkMovement,
  { maxScore }: Position,
  most: number,
): Promise<Step> {
  const moved = (await move?.(maxScore, most)) ?? 0;
  return { lookedAt: moved, moved, stay: 0 };
}

async function moveMatching(
  deps: QueueDeps,
  movement: BulkMovement,
  { maxScore, passed, most }: Position & { readonly most: number },
): Promise<Step> {
  const { queue, state } = movement;
  const max = Number.isFinite(maxScore) ? maxScore : '+inf';
  const range = [queue.keys[state], '-inf', max, 'LIMIT', passed, most];
  const reply = await deps.store.command('ZRANGEBYSCORE', range);
  const ids = Array.isArray(reply) ? reply.map(String) : [];
  const outcomes = await Promise.all(ids.map((id) => moveIfNamed(deps, movement, id)));
  return {
    lookedAt: ids.length,
    moved: outcomes.filter((outcome) => outcome === 'moved').length,
    stay: outcomes.filter((outcome) => outcome === 'stays').length,
  };
}

/** `gone`: somebody else was quicker, and it stands there no longer. */
async function moveIfNamed(
  { store }: QueueDeps,
  { queue, nameFilter, moveOne }: BulkMovement,
  jobId: string,
): Promise<'moved' | 'stays' | 'gone'> {
  try {
    if (nameFilter !== '') {
      const name = await store.command('HGET', [queue.keys.job(jobId), 'name']);
      if (String(name) !== nameFilter) return 'stays';
    }
    await moveOne(jobId);
    return 'moved';
  } catch (error) {
    if (error instanceof TransitionRejected) {
      return error.reason === 'JOB_NOT_IN_STATE' ? 'gone' : 'stays';
    }
    if (isWrongType(error)) return 'stays';
    throw error;
  }
}
