import { writeFile } from 'node:fs/promises';
import type { Check } from './books.js';
import { buildWorkers } from './build-workers.js';
import { Ending } from './ending.js';
import { findFiles } from './find-files.js';
import { measure } from './measures.js';
import type { DemoOptions } from './options.js';
import { makePlan } from './plan.js';
import type { Screen } from './progress.js';
import { readRecords } from './records.js';
import { openStage, type Stage, type Surroundings } from './stage.js';
import { bookLines, figures } from './table.js';
import { work } from './work.js';

/** What a run is given besides its options. */
export interface DemoPorts {
  readonly screen: Screen;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the run early; the run then throws the signal's reason. */
  readonly signal: AbortSignal;
  /** For tests: called when all has been worked and nothing checked. */
  readonly beforeBooks?: (stage: Stage) => Promise<void>;
}

/**
 * The demo from beginning to end. It leaves no process, no folder and no key behind, whatever happens.
 *
 * @returns true when the books are right
 * @throws Error when it could not be run to its end
 */
export async function runDemo(options: DemoOptions, ports: DemoPorts): Promise<boolean> {
  const ending = new Ending();
  const say = (line: string): void => void ports.screen.write(`${line}\n`);
  const checks = await play(options, ports, { ...ports, ending, say }).catch(async (error) => {
    for (const problem of await ending.run()) say(problem);
    throw error;
  });
  const ended = { what: 'all that was started has ended', problems: await ending.run() };
  const all = [...checks, ended];
  for (const line of bookLines(all)) say(line);
  const wrong = all.filter(({ problems }) => problems.length > 0).map(({ what }) => what);
  say(wrong.length === 0 ? 'The books are right.' : `The books are WRONG: ${wrong.join('; ')}.`);
  return wrong.length === 0;
}

async function play(
  options: DemoOptions,
  ports: DemoPorts,
  around: Surroundings,
): Promise<readonly Check[]> {
  const { say } = around;
  // First of all: minutes in which nothing else waits with a limit of its own, and after which no file changes.
  await buildWorkers(options.workers, around);
  const found = await findFiles(options.folder, options.maxFiles);
  const stage = await openStage(options, around);
  const plan = makePlan(found.files);
  const bytes = found.files.reduce((sum, file) => sum + file.bytes, 0);
  say(
    `${found.files.length} files (${(bytes / 1e6).toFixed(0)} MB) of ${options.folder}` +
      `${found.capped ? ', which has more' : ''}` +
      `${found.unreadable > 0 ? `; ${found.unreadable} cannot be read and are left out` : ''}`,
  );
  const worked = await work(stage, { plan, options, screen: ports.screen }, around);
  const metrics = await stage.metrics();
  if (metrics !== undefined && options.metricsFile !== undefined) {
    await writeFile(options.metricsFile, metrics);
    say(`The gateway's metrics are in ${options.metricsFile}`);
  }
  await ports.beforeBooks?.(stage);
  const { records, checks } = await readRecords(stage, worked, around.signal);
  say(figures(measure(records)));
  return [...worked.checks, ...checks];
}
