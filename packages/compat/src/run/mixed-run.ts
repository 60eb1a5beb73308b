import { setTimeout as sleep } from 'node:timers/promises';
import type { FullHouse } from '../peers/house.js';
import { fateKey } from './audit.js';
import type { Addition, Fate } from './plan.js';
import { planRun } from './plan.js';
import { RunNotes } from './run-notes.js';

/** A system at the queue. */
export interface Participant {
  readonly name: string;
  readonly house: FullHouse;
  /** Whether its resume may be called while the others take part: BullMQ 5's throws away what they put into `wait`. */
  readonly mayPause: boolean;
}

/** How large a run is. */
export interface RunSize {
  readonly jobs: number;
  /** Runs of each participant's schedule. */
  readonly scheduled: number;
  /** How often the queue is paused and resumed. */
  readonly pauses: number;
  /** How long all of it may take, ms. */
  readonly limitMs: number;
}

/** What was planned and what happened, before the queue is looked at. */
export interface MixedRun {
  readonly fates: ReadonlyMap<string, Fate>;
  readonly notes: RunNotes;
  readonly pauses: readonly { readonly by: string; readonly resumedBy: string }[];
  /** Jobs that each participant added, schedules not counted. */
  readonly added: Readonly<Record<string, number>>;
  readonly tookMs: number;
  /** Runs of each schedule. */
  readonly scheduled: readonly number[];
}

/** Calls of one producer under way. */
const ADDING = 8;
const EVERY_MS = 150;
/** How long a pause holds, so that the others add and finish meanwhile, ms. */
const PAUSE_MS = 40;

/** Has every participant add and work at once; resolves when all has run. */
export async function mixedRun(
  participants: readonly Participant[],
  size: RunSize,
): Promise<MixedRun> {
  const plan = planRun(size.jobs);
  const fates = new Map(plan.fates);
  const notes = new RunNotes();
  const added: Record<string, number> = {};
  const limit = performance.now() + size.limitMs;
  const began = performance.now();
  for (const { name, house } of participants) house.work(notes.work(name));
  const planned = [...plan.fates.values()].reduce((sum, { runs }) => sum + runs, 0);
  const [pauses] = await Promise.all([
    interrupt(participants, { size, notes, planned, fates, limit }),
    ...participants.map(async ({ name, house }, at) => {
      const share = plan.additions.filter((_, index) => index % participants.length === at);
      added[name] = await addAll(house, share);
    }),
    ...participants.map(({ house }, at) =>
      house.schedule({
        id: `s${at}`,
        everyMs: EVERY_MS,
        limit: size.scheduled,
        task: { key: `every-${at}`, fails: 0 },
      }),
    ),
  ]);
  const extra = participants.length * (size.scheduled + size.pauses);
  // What does not come in time shows in the books.
  const all = () => notes.runs.length >= planned + extra;
  await reached(all, limit, () => progress(notes, planned + extra)).catch(() => undefined);
  const tookMs = performance.now() - began;
  await Promise.all(participants.map(({ house }, at) => house.unschedule(`s${at}`)));
  const scheduled = participants.map(
    (_, at) => notes.runs.filter(({ key }) => key === `every-${at}`).length,
  );
  return { fates: withSchedules(fates, notes), notes, pauses, added, tookMs, scheduled };
}

async function addAll(house: FullHouse, share: readonly Addition[]): Promise<number> {
  const left = [...share].reverse();
  let jobs = 0;
  const producer = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      if ('flow' in next) await house.addFlow(next.flow);
      else await house.add(next.task, next.options);
      jobs += 'flow' in next ? (next.flow.children?.length ?? 0) + 1 : 1;
    }
  };
  await Promise.all(Array.from({ length: ADDING }, producer));
  return jobs;
}

interface Interruption {
  readonly size: RunSize;
  readonly notes: RunNotes;
  readonly planned: number;
  readonly fates: Map<string, Fate>;
  readonly limit: number;
}

/** Pauses now and then; meanwhile everybody adds a job; another one resumes. */
async function interrupt(
  participants: readonly Participant[],
  { size, notes, planned, fates, limit }: Interruption,
): Promise<MixedRun['pauses']> {
  const pausers = participants.filter(({ mayPause }) => mayPause);
  const pauses: { by: string; resumedBy: string }[] = [];
  for (let number = 0; number < size.pauses; number++) {
    const due = (planned * (number + 1)) / (size.pauses + 2);
    await reached(
      () => notes.runs.length >= due,
      limit,
      () => progress(notes, due),
    );
    const by = pausers[number % pausers.length] as Participant;
    const next = pausers[(number + 1) % pausers.length] as Participant;
    await by.house.pause();
    await Promise.all(
      participants.map(({ house }, at) => {
        const key = `meanwhile-${number}-${at}`;
        fates.set(key, { kind: 'added while paused', runs: 1, end: 'completed' });
        return house.add({ key, fails: 0 });
      }),
    );
    await sleep(PAUSE_MS);
    await next.house.resume();
    pauses.push({ by: by.name, resumedBy: next.name });
  }
  return pauses;
}

/** The runs of schedules are known by their ids, which nobody can plan. */
function withSchedules(fates: Map<string, Fate>, notes: RunNotes): Map<string, Fate> {
  for (const [at, run] of notes.runs.entries()) {
    const key = fateKey(run.key, run.id);
    if (key === run.key) continue;
    notes.runs[at] = { ...run, key };
    fates.set(key, { kind: 'scheduled', runs: 1, end: 'completed' });
  }
  return fates;
}

const progress = (notes: RunNotes, due: number) => `${notes.runs.length} runs of ${Math.ceil(due)}`;

async function reached(
  isTrue: () => boolean,
  limit: number,
  describe: () => string,
): Promise<void> {
  while (!isTrue()) {
    if (performance.now() > limit) throw new Error(`not in time: ${describe()}`);
    await sleep(20);
  }
}
