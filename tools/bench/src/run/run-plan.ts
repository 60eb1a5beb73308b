import type { ContenderName } from '../contender.js';
import type { Figures } from '../measure.js';
import type { Scene } from '../plan.js';
import { pythonOf } from './pythons.js';
import { runOnce } from './run-once.js';

/** All runs of one contender in one scene; a run that failed has its problem instead of figures. */
export interface Series {
  readonly contender: ContenderName;
  readonly runs: readonly (Figures | undefined)[];
  readonly problems: readonly string[];
  /** Why it did not take part. */
  readonly skipped?: string;
}

/** What was measured in one scene. */
export interface SceneResult {
  readonly scene: Scene;
  readonly series: readonly Series[];
}

/**
 * Runs a scene: each round lets every contender run once, so that what else the machine does meets all of them.
 *
 * @param note told of each run that has ended
 */
export async function runScene(
  scene: Scene,
  rounds: number,
  note: (contender: ContenderName, outcome: Figures | string) => void,
): Promise<SceneResult> {
  const runs = new Map<ContenderName, (Figures | undefined)[]>();
  const problems = new Map<ContenderName, string[]>();
  const skipped = skippedOf(scene.contenders);
  for (const [contender, reason] of skipped) note(contender, `SKIPPED ${reason}`);
  const taking = scene.contenders.filter((contender) => !skipped.has(contender));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of rotated(taking, round)) {
      const outcome = await runOnce(contender, scene).catch((error: unknown) => String(error));
      note(contender, typeof outcome === 'string' ? `FAILED ${outcome}` : outcome);
      entry(runs, contender).push(typeof outcome === 'string' ? undefined : outcome);
      // Where it was thrown names the paths of this machine: that is for who runs it, not for the report.
      if (typeof outcome === 'string') entry(problems, contender).push(firstLine(outcome));
    }
  }
  const series = scene.contenders.map((contender) => ({
    contender,
    runs: entry(runs, contender),
    problems: entry(problems, contender),
    ...(skipped.has(contender) ? { skipped: skipped.get(contender) ?? '' } : {}),
  }));
  return { scene, series };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Those whose tools are not to be had here, and what is missing. */
function skippedOf(contenders: readonly ContenderName[]): ReadonlyMap<ContenderName, string> {
  return new Map(
    contenders.flatMap((contender) => {
      const python = pythonOf(contender);
      return python && 'missing' in python ? [[contender, python.missing] as const] : [];
    }),
  );
}

/** Nobody is always the first of a round. */
function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function entry<V>(map: Map<ContenderName, V[]>, name: ContenderName): V[] {
  const found = map.get(name);
  if (found) return found;
  const made: V[] = [];
  map.set(name, made);
  return made;
}
