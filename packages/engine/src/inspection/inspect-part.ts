import { inspectLocation, LOCATION_NAMES } from '@echomq/core';
import type { Fault } from '@echomq/proto/messages';
import { scoredMembers } from '../scheduling/scored-members.js';
import { gateFaults } from './gate-faults.js';
import type { Inspected } from './inspected.js';
import { jobFaults } from './job-faults.js';
import { type Cursors, keyFaults, scanStep, unplacedFaults } from './key-faults.js';
import { parentFaults } from './parent-faults.js';
import { schedulerFaults } from './scheduler-faults.js';

/** Ids that one script looks at. */
const STEP = 50;
/** Jobs in none of the sets that are looked for in the lists together. */
const MOST_UNPLACED = 50_000;

/**
 * Where an inspection goes on: the phase, and what it counts with. Phases: the gate, each location, the parents that
 * wait, the schedulers, the keys.
 */
export type Position = readonly [phase: number, ...at: (number | string)[]];

const LOCATIONS = 1;
const PARENTS = LOCATIONS + LOCATION_NAMES.length;
const SCHEDULERS = PARENTS + 1;
const KEYS = SCHEDULERS + 1;

/** What one part of an inspection showed. */
export interface Part {
  readonly faults: readonly Fault[];
  /** Undefined: all is looked at. */
  readonly next: Position | undefined;
  readonly looked: number;
}

/** When to stop a part that has more to look at. */
export type Enough = (looked: number) => boolean;

/** Looks at one part of a queue from `position` on. */
export function inspectPart(
  inspected: Inspected,
  [phase, ...at]: Position,
  enough: Enough,
): Promise<Part> {
  const first = typeof at[0] === 'number' ? at[0] : 0;
  if (phase < LOCATIONS) return gatePart(inspected);
  if (phase < PARENTS) return locationPart(inspected, phase, first);
  if (phase === PARENTS) return parentsPart(inspected, first);
  if (phase === SCHEDULERS) return schedulersPart(inspected, first);
  return keysPart(inspected, at.length === 0 ? undefined : at.map(String), enough);
}

async function gatePart(inspected: Inspected): Promise<Part> {
  return { faults: await gateFaults(inspected), next: [LOCATIONS], looked: 1 };
}

async function locationPart(inspected: Inspected, phase: number, first: number): Promise<Part> {
  const name = LOCATION_NAMES[phase - LOCATIONS] ?? 'wait';
  const { store, queue } = inspected;
  const { looked, suspects } = await inspectLocation(store, queue.keys, {
    ...{ name, first, count: STEP },
  });
  const faults: Fault[] = [];
  for (const id of new Set(suspects)) faults.push(...(await jobFaults(inspected, id)));
  return { faults, next: looked < STEP ? [phase + 1] : [phase, first + looked], looked };
}

async function parentsPart(inspected: Inspected, first: number): Promise<Part> {
  const { store, queue } = inspected;
  const { waitingChildren } = queue.keys;
  if (!(await isSortedSet(inspected, waitingChildren))) return nothing([SCHEDULERS]);
  const range = [waitingChildren, first, first + STEP - 1];
  const ids = (await store.command('ZRANGE', range)) as readonly unknown[];
  const faults: Fault[] = [];
  for (const id of ids) faults.push(...(await parentFaults(inspected, String(id))));
  const next: Position = ids.length < STEP ? [SCHEDULERS] : [PARENTS, first + ids.length];
  return { faults, next, looked: ids.length };
}

async function schedulersPart(inspected: Inspected, first: number): Promise<Part> {
  const { store, queue } = inspected;
  const { schedulers } = queue.keys;
  if (!(await isSortedSet(inspected, schedulers))) return nothing([KEYS]);
  const range = [schedulers, first, first + STEP - 1, 'WITHSCORES'];
  const listed = scoredMembers(await store.command('ZRANGE', range));
  const faults: Fault[] = [];
  for (const { member, score } of listed) {
    faults.push(...(await schedulerFaults(inspected, member, Math.trunc(score))));
  }
  const next: Position = listed.length < STEP ? [KEYS] : [SCHEDULERS, first + listed.length];
  return { faults, next, looked: listed.length };
}

/** Many steps together: the lists are read once for all that they bring. */
async function keysPart(
  inspected: Inspected,
  from: Cursors | undefined,
  enough: Enough,
): Promise<Part> {
  const faults: Fault[] = [];
  const unplaced = new Set<string>();
  let looked = 0;
  let cursors = from;
  do {
    const step = await scanStep(inspected, cursors);
    const found = await keyFaults(inspected, step.names);
    faults.push(...found.faults);
    for (const id of found.unplaced) unplaced.add(id);
    looked += step.names.length;
    cursors = step.next;
  } while (cursors && unplaced.size < MOST_UNPLACED && !enough(faults.length));
  faults.push(...(await unplacedFaults(inspected, [...unplaced])));
  return { faults, next: cursors && [KEYS, ...cursors], looked };
}

async function isSortedSet({ store }: Inspected, key: string): Promise<boolean> {
  return String(await store.command('TYPE', [key])) === 'zset';
}

function nothing(next: Position): Part {
  return { faults: [], next, looked: 0 };
}
