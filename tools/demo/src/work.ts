import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from './books.js';
import { Crew } from './crew.js';
import { enqueue, type Pace } from './enqueue.js';
import { EventLog } from './event-log.js';
import { type Killed, killWhileHolding } from './kill.js';
import { noteLanguages } from './languages.js';
import type { DemoOptions } from './options.js';
import type { AddedJob, PlannedJob } from './plan.js';
import { within } from './processes.js';
import { LOCK_MS } from './programs.js';
import { LiveProgress, oneLine, type Screen } from './progress.js';
import type { Stage, Surroundings } from './stage.js';

/** What is to be worked, and where that is shown. */
export interface Task {
  readonly plan: readonly PlannedJob[];
  readonly options: DemoOptions;
  readonly screen: Screen;
}

/** What has been worked. No worker is left. */
export interface Worked {
  readonly added: readonly AddedJob[];
  readonly killed: Killed | undefined;
  readonly log: EventLog;
  readonly checks: readonly Check[];
}

/** There are so many, or one for each language. */
const WORKERS = 3;
const LOOK_EVERY_MS = 100;
/** Jobs that may be left before more are added: a line that is never empty and never all there is. */
const BACKLOG = 1_500;
/** The kill comes when this share of the jobs has finished, and meets a worker in the middle of so many. */
const KILL_AT = 0.25;
const KILL_BEGUN = 2;

/**
 * Adds the jobs, has three workers work them, kills one of those on the way, and waits for the end.
 *
 * @throws Error when a process ends that should not, or Redis or the gateway cannot be asked
 */
export async function work(stage: Stage, task: Task, around: Surroundings): Promise<Worked> {
  const failing = new AbortController();
  const fail = (error: unknown): void => failing.abort(error);
  const signal = AbortSignal.any([around.signal, failing.signal]);
  void stage.gateway.ended.then((how) =>
    fail(new Error([`the gateway ended: ${how}`, ...stage.gateway.lastLines()].join('\n  '))),
  );
  const crew = new Crew(stage, fail);
  around.ending.add('the workers', () => crew.close());
  const { workers: languages } = task.options;
  const size = Math.max(WORKERS, languages.length);
  const languageOf = (i: number): string => languages[i % languages.length] ?? '';
  await Promise.all(
    Array.from({ length: size }, (_, i) => crew.hire(`worker-${i + 1}`, languageOf(i))),
  );
  await noteLanguages(
    stage,
    crew.alive.map(({ name }) => name),
    signal,
  );
  const told = languages.length > 1 || languages[0] !== 'ts';
  const names = crew.alive
    .map(({ name, pid }) => {
      return `${name} (${told ? `${stage.languages.get(name)}, ` : ''}process ${pid})`;
    })
    .sort();
  around.say(`Workers: ${names.join(', ')}: lock ${LOCK_MS} ms`);

  const log = new EventLog(stage.redis, `${stage.stored.base}events`);
  around.ending.add('the event log', () => log.stop());
  log.follow(fail);
  const progress = new LiveProgress(task.screen, stage.queue);
  around.ending.add('the progress', () => progress.stop());
  progress.start(fail);

  const added: AddedJob[] = [];
  const over = new AbortController();
  const onTheWay = { stage, crew, progress, task };
  const [killed, inTime] = await Promise.all([
    killOne(onTheWay, AbortSignal.any([signal, over.signal])).catch(undefinedIf(over.signal)),
    allFinished({ stage, task, added }, signal).finally(() => over.abort()),
    within(enqueue(stage.queue, task.plan, pace(stage, added, signal)), signal).catch(fail),
  ]);
  const left = inTime ? [] : [oneLine(await stage.queue.getJobCounts())];
  await progress.show();
  await progress.stop();
  log.stop();
  return {
    added,
    killed,
    log,
    checks: [
      { what: `all jobs ended within ${task.options.limitMs / 1_000} s`, problems: left },
      { what: 'the workers closed in good order', problems: await crew.close() },
    ],
  };
}

function pace(stage: Stage, added: AddedJob[], signal: AbortSignal): Pace {
  return {
    onBatch: (batch) => added.push(...batch),
    mayAdd: async () => {
      while (added.length - (await stage.stored.finished()) > BACKLOG) {
        await sleep(LOOK_EVERY_MS / 2, undefined, { signal });
      }
    },
  };
}

interface OnTheWay {
  readonly stage: Stage;
  readonly crew: Crew;
  readonly progress: LiveProgress;
  readonly task: Task;
}

async function killOne(
  { stage, crew, progress, task }: OnTheWay,
  signal: AbortSignal,
): Promise<Killed> {
  const prey = {
    workers: crew.alive,
    afterFinished: Math.floor(task.plan.length * KILL_AT),
    begun: Math.min(KILL_BEGUN, task.options.concurrency),
  };
  const killed = await killWhileHolding(prey, stage.stored, signal);
  progress.say(
    `Killed ${killed.name} (process ${killed.pid}, SIGKILL) while it held ${killed.held.length} jobs, ` +
      `${killed.begun.length} of them surely begun.`,
  );
  if (task.options.replace) {
    const { workers } = task.options;
    const number = Math.max(WORKERS, workers.length) + 1;
    const at = Number(/\d+$/.exec(killed.name)?.[0] ?? 1) - 1;
    const worker = await crew.hire(`worker-${number}`, workers[at % workers.length] ?? '');
    progress.say(`Started ${worker.name} (process ${worker.pid}) in its place.`);
    await noteLanguages(stage, [worker.name], signal);
  }
  return killed;
}

/** Nothing to kill was found before the work was over: the books will say so. */
function undefinedIf(over: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!over.aborted) throw error;
    return undefined;
  };
}

interface Awaited {
  readonly stage: Stage;
  readonly task: Task;
  readonly added: readonly AddedJob[];
}

/** Waits until each job has ended; false when that takes too long. */
async function allFinished({ stage, task, added }: Awaited, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + task.options.limitMs;
  while (performance.now() < until) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    if (added.length < task.plan.length) continue;
    if ((await stage.stored.finished()) >= task.plan.length) return true;
  }
  return false;
}
